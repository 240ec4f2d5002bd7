// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.FrameCheck;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

/**
 * Where a peer says that the frontier of its image is: the sender goes back there only if that can
 * be. Not on the data path: it walks the frames.
 */
final class ResumePoint {
    private ResumePoint() {}

    /**
     * Whether a stream can go on at a position.
     *
     * @param log of the publication, which holds everything from what was released on.
     * @param released position of a frame up to which the peer has released the log.
     * @param sent position up to which the log was sent.
     * @param position that the peer says.
     * @return whether it lies between these, and a frame begins there or will.
     */
    static boolean isAcceptable(LogBuffers log, long released, long sent, long position) {
        if (position < released || position > sent) {
            return false;
        }
        int termLength = log.spec().termLength();
        int bitsToShift = LogLayout.positionBitsToShift(termLength);
        long at = released;
        while (at < position) {
            int offset = LogLayout.termOffset(at, termLength);
            long word = log.term(LogLayout.partition(at, bitsToShift)).getLongAcquire(offset);
            if (!FrameCheck.isValid(word, offset, termLength)) {
                return false;
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        return at == position;
    }
}
