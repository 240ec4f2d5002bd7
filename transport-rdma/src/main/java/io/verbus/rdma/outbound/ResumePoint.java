// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.FrameCheck;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

/**
 * Validates the position at which a peer wants to resume an image. Not used on the data path,
 * because it walks the frames.
 */
final class ResumePoint {
    private ResumePoint() {}

    /**
     * Checks whether a stream can resume at a position.
     *
     * @param log log of the publication, which holds everything from the released position onwards.
     * @param released position up to which the peer has released the log; a frame begins there.
     * @param sent position up to which the log was sent.
     * @param position position at which the peer wants to resume.
     * @return whether the position lies between the released and the sent position, and a frame
     *     begins there or will begin there.
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
