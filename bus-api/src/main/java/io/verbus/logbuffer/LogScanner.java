// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the committed frames in a publication's log that can be sent. Not thread-safe.
 *
 * <p>A run of frames ends after a padding frame, so only its last frame can be padding; of that
 * frame, only the header needs to be sent. A run excludes a frame that ends past the limit. A
 * stream's window must therefore hold the longest frame, which is the padding that replaces a
 * message that did not fit into its term.
 */
public final class LogScanner {
    private final LogBuffers log;
    private final int termLength;
    private final int bitsToShift;
    private int padding;

    /**
     * @param log log of the publication.
     */
    public LogScanner(LogBuffers log) {
        this.log = log;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Finds the end of the run of committed frames that starts at a position. A run lies within one
     * term.
     *
     * @param position position of a frame or of the frontier.
     * @param limit position that the run must not pass.
     * @param maxBytes maximum length of the run, not counting the body of a padding frame; a longer
     *     first frame is included nevertheless.
     * @return the end of the run; the given position if there is none.
     * @throws InvalidFrameException if the first frame is invalid.
     */
    public long available(long position, long limit, int maxBytes) {
        UnsafeBuffer term = log.term(LogLayout.partition(position, bitsToShift));
        int start = LogLayout.termOffset(position, termLength);
        int bound = (int) Math.min(Math.max(limit - position, 0) + start, termLength);
        int offset = start;
        padding = 0;
        while (offset < bound) {
            long word = term.getLongAcquire(offset);
            if (FrameHeader.length(word) <= 0) {
                break;
            }
            if (!FrameCheck.isValid(word, offset, termLength)) {
                if (offset == start) {
                    throw FrameCheck.invalid(word, position, offset, termLength);
                }
                break;
            }
            int length = FrameHeader.align(FrameHeader.length(word));
            boolean isPadding = FrameHeader.type(word) == FrameHeader.TYPE_PAD;
            int sent = isPadding ? FrameHeader.LENGTH : length;
            if (length > bound - offset || (offset != start && sent > maxBytes - offset + start)) {
                break;
            }
            offset += length;
            if (isPadding) {
                padding = length - FrameHeader.LENGTH;
                break;
            }
        }
        return position - start + offset;
    }

    /** Returns how many bytes at the end of the last run are the body of a padding frame. */
    public int padding() {
        return padding;
    }
}
