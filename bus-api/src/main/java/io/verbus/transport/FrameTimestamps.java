// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.EpochNanoClock;
import org.agrona.concurrent.OffsetEpochNanoClock;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.OptionalInt;

/**
 * Writes the time into frames, at the place that a channel names: nanoseconds since the epoch,
 * int64, little-endian. Frames that do not begin a message have none, nor have messages that are
 * too short for it. One thread; no method allocates.
 */
public final class FrameTimestamps {
    private final EpochNanoClock clock = new OffsetEpochNanoClock();
    private final int offset;

    private FrameTimestamps(int offset) {
        this.offset = offset;
    }

    /**
     * Those of a channel.
     *
     * @param place offset in the message, or {@link
     *     io.verbus.channel.ChannelUri#RESERVED_TIMESTAMP}.
     * @return null if there is no place.
     */
    public static FrameTimestamps of(OptionalInt place) {
        return place.isEmpty() ? null : new FrameTimestamps(FrameHeader.LENGTH + place.getAsInt());
    }

    /**
     * Writes the time into each frame of a row.
     *
     * @param frames that hold the row.
     * @param from at which its first frame begins.
     * @param length bytes of the row, of whole frames.
     */
    public void stamp(UnsafeBuffer frames, int from, int length) {
        long now = clock.nanoTime();
        int end = from + length;
        int at = from;
        while (at + FrameHeader.LENGTH <= end) {
            long word = frames.getLong(at);
            int frameLength = FrameHeader.length(word);
            if (frameLength < FrameHeader.LENGTH) {
                return; // an invalid log, which is found elsewhere
            }
            boolean begins =
                    FrameHeader.type(word) == FrameHeader.TYPE_DATA
                            && (FrameHeader.flags(word) & FrameHeader.FLAG_BEGIN) != 0;
            if (begins && offset + Long.BYTES <= frameLength) {
                frames.putLong(at + offset, now);
            }
            at += FrameHeader.align(frameLength);
        }
    }
}
