// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;

/**
 * Where a publication begins, if not with its first term.
 *
 * @param initialTermId of the first term of the stream.
 * @param termId of the term in which the publication begins.
 * @param termOffset in bytes at which it begins in there, a multiple of 32.
 */
public record StreamStart(int initialTermId, int termId, int termOffset) {
    /**
     * Checks that the values name a position, whatever the term length.
     *
     * @throws InvalidChannelException if not.
     */
    public StreamStart {
        if (termId - initialTermId < 0) {
            throw new InvalidChannelException(
                    "term-id "
                            + termId
                            + " is before init-term-id "
                            + initialTermId
                            + ", or 2^31 terms or more behind it: name a term of the stream");
        }
        if (termOffset < 0 || termOffset % FrameHeader.ALIGNMENT != 0) {
            throw new InvalidChannelException(
                    "term-offset "
                            + termOffset
                            + " is not a multiple of 32 from 0: name the beginning of a frame");
        }
    }

    /**
     * The position of the start.
     *
     * @param termLength of the stream in bytes.
     * @throws InvalidChannelException if no term is so long.
     */
    public long position(int termLength) {
        if (termOffset > termLength) {
            throw new InvalidChannelException(
                    "term-offset "
                            + termOffset
                            + " is more than the term length "
                            + termLength
                            + ": lower it, or raise term-length");
        }
        return LogLayout.position(
                termId, termOffset, LogLayout.positionBitsToShift(termLength), initialTermId);
    }
}
