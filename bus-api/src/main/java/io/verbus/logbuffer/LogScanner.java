// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds what of a publication's log is committed and can be sent. One thread.
 *
 * <p>A run ends behind a padding frame, so that at most its last frame is padding: of that only the
 * header is worth sending. A frame that does not end at or below the limit is not in the run: the
 * window of a stream must hold the longest frame, which is padding for a message that did not fit
 * into its term.
 */
public final class LogScanner {
    private final LogBuffers log;
    private final int termLength;
    private final int bitsToShift;
    private int padding;

    /**
     * @param log of the publication.
     */
    public LogScanner(LogBuffers log) {
        this.log = log;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Finds the end of the run of committed frames that begins at a position. It lies within one
     * term.
     *
     * @param position of a frame or of the frontier.
     * @param limit position that the run must not go past.
     * @param maxBytes of the run, the body of padding not counted; a first frame that is longer is
     *     taken nevertheless.
     * @return the end of the run; the position itself if there is none.
     * @throws InvalidFrameException if the first frame is one that no appender writes.
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

    /** Bytes at the end of the run last found that are the body of a padding frame. */
    public int padding() {
        return padding;
    }
}
