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
 */
final class SendTimestamps {
    private final LogBuffers log;
    private final FrameTimestamps frames;
    private final int termLength;
    private long stampedTo;

    private SendTimestamps(LogBuffers log, FrameTimestamps frames) {
        this.log = log;
        this.frames = frames;
        termLength = log.spec().termLength();
    }

    /** Returns the timestamps of a publication; null if its channel requests none. */
    static SendTimestamps of(OutboundStream publication) {
        FrameTimestamps frames = FrameTimestamps.of(publication.channel().sendTimestamp());
        return frames == null ? null : new SendTimestamps(publication.log(), frames);
    }

    /**
     * Stamps the frames that were not sent before.
     *
     * @param position position of the first frame.
     * @param length length of the frames in bytes, without padding; they end in the same term.
     */
    void stamp(long position, int length) {
        long from = Math.max(position, stampedTo);
        long end = position + length;
        if (from < end) {
            frames.stamp(
                    log.term(LogLayout.partition(from, LogLayout.positionBitsToShift(termLength))),
                    LogLayout.termOffset(from, termLength),
                    (int) (end - from));
            stampedTo = end;
        }
    }
}
