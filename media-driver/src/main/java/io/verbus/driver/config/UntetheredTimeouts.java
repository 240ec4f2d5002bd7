// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.TetherSettings;
import io.verbus.logbuffer.LogNotes;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;

/**
 * For how long a subscriber that does not hold its stream back is waited for.
 *
 * @param windowLimitNs time too far behind, after which it is let go.
 * @param lingerNs time for which it then still holds the stream back; {@link #AS_WINDOW_LIMIT} for
 *     as long as the first.
 * @param restingNs time after that, until it joins again.
 */
public record UntetheredTimeouts(long windowLimitNs, long lingerNs, long restingNs) {
    static final long AS_WINDOW_LIMIT = -1;

    /** Checks the times. */
    public UntetheredTimeouts {
        DriverOption.UNTETHERED_WINDOW_LIMIT.check(windowLimitNs + "ns");
        if (lingerNs != AS_WINDOW_LIMIT) {
            DriverOption.UNTETHERED_LINGER.check(lingerNs + "ns");
        }
        DriverOption.UNTETHERED_RESTING.check(restingNs + "ns");
    }

    /** The times of a stream: those that its channel names, else these. */
    public UntetheredTimeouts of(ChannelUri channel) {
        TetherSettings named = channel.tether();
        long limit = chosen(named.windowLimit(), windowLimitNs);
        long linger = chosen(named.linger(), lingerNs);
        return new UntetheredTimeouts(
                limit,
                linger == AS_WINDOW_LIMIT ? limit : linger,
                chosen(named.resting(), restingNs));
    }

    private static long chosen(Duration named, long presetNs) {
        return named == null ? presetNs : named.toNanos();
    }

    /** Tells people in a log's metadata. */
    public void note(UnsafeBuffer metadata) {
        LogNotes.untethered(metadata, windowLimitNs, lingerNs, restingNs);
    }

    /**
     * Tells people in the metadata of an image.
     *
     * @param channel of the subscription that it was made for.
     */
    public void noteImage(UnsafeBuffer metadata, ChannelUri channel) {
        note(metadata);
        LogNotes.note(metadata, LogNotes.TETHERED, channel.tether().isTethered());
        LogNotes.note(metadata, LogNotes.REJOINS, channel.tether().rejoins());
    }
}
