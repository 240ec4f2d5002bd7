// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts frames into the term of an image, in whatever order they come. All of a frame but its first
 * word is stored first, then that word with release: a subscriber that acquires a frame length
 * which is not zero sees the whole frame.
 */
final class TermRebuilder {
    private TermRebuilder() {}

    /**
     * Puts a frame in, unless one stands there.
     *
     * @param term to put it into; zero wherever no frame was put.
     * @param offset in the term, a multiple of 32, of a frame that ends within the term.
     * @param datagram that holds the frame.
     * @param at where in the datagram.
     * @param length of what the datagram holds of the frame, its header at least.
     * @return false if a frame stands there.
     */
    static boolean insert(
            UnsafeBuffer term, int offset, UnsafeBuffer datagram, int at, int length) {
        if (term.getLong(offset) != 0) {
            return false;
        }
        term.putBytes(offset + Long.BYTES, datagram, at + Long.BYTES, length - Long.BYTES);
        term.putLongRelease(offset, datagram.getLong(at));
        return true;
    }

    /**
     * Fills a gap with padding, so that subscribers pass it.
     *
     * @param term that has the gap.
     * @param offset of the gap.
     * @param length of the gap, to the next frame or the end of the term at most.
     */
    static void fill(
            UnsafeBuffer term, int offset, int length, int sessionId, int streamId, int termId) {
        term.putInt(offset + FrameHeader.TERM_OFFSET, offset);
        term.putInt(offset + FrameHeader.SESSION_ID, sessionId);
        term.putInt(offset + FrameHeader.STREAM_ID, streamId);
        term.putInt(offset + FrameHeader.TERM_ID, termId);
        term.putLongRelease(
                offset,
                FrameHeader.word(length, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_PAD));
    }

    /**
     * Finds where a gap ends.
     *
     * @param term that has the gap.
     * @param offset of the gap.
     * @param bound offset past which the gap is of no interest.
     * @return offset of the next frame, or the bound.
     */
    static int gapEnd(UnsafeBuffer term, int offset, int bound) {
        int end = offset + FrameHeader.ALIGNMENT;
        while (end < bound && term.getLong(end) == 0) {
            end += FrameHeader.ALIGNMENT;
        }
        return Math.min(end, bound);
    }
}
