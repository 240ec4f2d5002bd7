// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.EpochNanoClock;
import org.agrona.concurrent.OffsetEpochNanoClock;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.OptionalInt;

/**
 * Writes timestamps into frames at the offset that a channel sets: nanoseconds since the epoch,
 * int64, little-endian. Skips frames that do not start a message, and messages too short for a
 * timestamp. Not thread-safe; no method allocates.
 */
public final class FrameTimestamps {
    private final EpochNanoClock clock = new OffsetEpochNanoClock();
    private final int offset;

    private FrameTimestamps(int offset) {
        this.offset = offset;
    }

    /**
     * Returns the timestamp writer for a channel.
     *
     * @param place offset in the message, or {@link io.verbus.channel.TimestampSettings#RESERVED}.
     * @return the writer; null if there is no offset.
     */
    public static FrameTimestamps of(OptionalInt place) {
        return place.isEmpty() ? null : new FrameTimestamps(FrameHeader.LENGTH + place.getAsInt());
    }

    /**
     * Writes the time into each frame of a run.
     *
     * @param frames buffer with the frames.
     * @param from offset of the first frame.
     * @param length length of the run in bytes, of whole frames.
     */
    public void stamp(UnsafeBuffer frames, int from, int length) {
        stamp(frames, from, length, clock.nanoTime());
    }

    /**
     * Writes a given time into each frame of a run.
     *
     * @param frames buffer with the frames.
     * @param from offset of the first frame.
     * @param length length of the run in bytes, of whole frames.
     * @param timeNs time in nanoseconds since the epoch.
     */
    public void stamp(UnsafeBuffer frames, int from, int length, long timeNs) {
        int end = from + length;
        int at = from;
        while (at + FrameHeader.LENGTH <= end) {
            long word = frames.getLong(at);
            int frameLength = FrameHeader.length(word);
            if (frameLength < FrameHeader.LENGTH) {
                return; // an invalid log, which is detected elsewhere
            }
            boolean begins =
                    FrameHeader.type(word) == FrameHeader.TYPE_DATA
                            && (FrameHeader.flags(word) & FrameHeader.FLAG_BEGIN) != 0;
            if (begins && offset + Long.BYTES <= frameLength) {
                frames.putLong(at + offset, timeNs);
            }
            at += FrameHeader.align(frameLength);
        }
    }
}
