// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.FrameTimestamps;
import io.verbus.transport.OutboundStream;

/**
 * Writes the sending time into each frame of a publication's log, once: a frame that is sent again,
 * or to another destination, keeps its time, because an adapter may still be reading it. Created by
 * the conductor, then used by the sender's thread.
 *
 * <p>Frames that only spies have read are skipped, and may still be sent to a receiver that accepts
 * late. Therefore only the last run of sent frames is known as stamped.
 */
final class SendTimestamps {
    private final LogBuffers log;
    private final FrameTimestamps frames;
    private final int termLength;

    // Last run of sent frames, which are stamped.
    private long runStart;
    private long runEnd;

    private SendTimestamps(LogBuffers log, FrameTimestamps frames) {
        this.log = log;
        this.frames = frames;
        termLength = log.spec().termLength();
    }

    /** Returns the timestamps of a publication; null if its channel requests none. */
    static SendTimestamps of(OutboundStream publication) {
        FrameTimestamps frames = FrameTimestamps.of(publication.channel().timestamps().send());
        return frames == null ? null : new SendTimestamps(publication.log(), frames);
    }

    /**
     * Stamps the frames of a batch that are not known as sent.
     *
     * @param position position of the first frame.
     * @param length length of the frames in bytes, without padding; they end in the same term.
     */
    void stamp(long position, int length) {
        long end = position + length;
        write(position, Math.min(end, runStart));
        write(Math.max(position, runEnd), end);
    }

    /** Records that a batch was sent, from a position up to a position. */
    void sent(long position, long end) {
        if (position > runEnd) {
            runStart = position;
        }
        runEnd = Math.max(runEnd, end);
    }

    private void write(long from, long end) {
        if (from < end) {
            frames.stamp(
                    log.term(LogLayout.partition(from, LogLayout.positionBitsToShift(termLength))),
                    LogLayout.termOffset(from, termLength),
                    (int) (end - from));
        }
    }
}
