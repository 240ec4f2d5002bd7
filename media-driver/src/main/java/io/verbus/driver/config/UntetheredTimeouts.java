// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.TetherSettings;
import io.verbus.logbuffer.LogNotes;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;

/**
 * Timeouts of untethered subscribers.
 *
 * @param windowLimitNs time that a subscriber may lag too far behind before it is detached.
 * @param lingerNs time for which the detached subscriber still holds the stream back; {@link
 *     #AS_WINDOW_LIMIT} to use the window limit.
 * @param restingNs time after lingering until the subscriber rejoins.
 */
public record UntetheredTimeouts(long windowLimitNs, long lingerNs, long restingNs) {
    static final long AS_WINDOW_LIMIT = -1;

    /** Checks the times. */
    public UntetheredTimeouts {
        DriverOptions.UNTETHERED_WINDOW_LIMIT.check(windowLimitNs);
        if (lingerNs != AS_WINDOW_LIMIT) {
            DriverOptions.UNTETHERED_LINGER.check(lingerNs);
        }
        DriverOptions.UNTETHERED_RESTING.check(restingNs);
    }

    /** Returns the timeouts of a stream: its channel's, or else these. */
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

    /** Stores the timeouts in a log's metadata, for monitoring. */
    public void note(UnsafeBuffer metadata) {
        LogNotes.untethered(metadata, windowLimitNs, lingerNs, restingNs);
    }

    /**
     * Stores the timeouts, and whether subscribers are tethered and rejoin, in an image's metadata,
     * for monitoring.
     *
     * @param channel channel of the subscription for which the image was made.
     */
    public void noteImage(UnsafeBuffer metadata, ChannelUri channel) {
        note(metadata);
        LogNotes.note(metadata, LogNotes.TETHERED, channel.tether().isTethered());
        LogNotes.note(metadata, LogNotes.REJOINS, channel.tether().rejoins());
    }
}
