// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Inserts frames into the term of an image, in any order. The first word of a frame is stored last,
 * with release, so a subscriber that acquires a non-zero frame length sees the whole frame.
 */
final class TermRebuilder {
    private TermRebuilder() {}

    /**
     * Inserts a frame, unless there is one already.
     *
     * @param term term to insert into; zero wherever no frame was inserted.
     * @param offset term offset of the frame, a multiple of 32; the frame must end within the term.
     * @param datagram datagram that contains the frame.
     * @param at offset of the frame in the datagram.
     * @param length length of the frame as contained in the datagram, at least its header.
     * @return false if there is a frame already.
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
     * Fills a gap with padding, so that subscribers skip it.
     *
     * @param term term with the gap.
     * @param offset offset of the gap.
     * @param length length of the gap, at most up to the next frame or the end of the term.
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
     * Finds the end of a gap.
     *
     * @param term term with the gap.
     * @param offset offset of the gap.
     * @param bound offset at which to stop the search.
     * @return offset of the next frame, or {@code bound}.
     */
    static int gapEnd(UnsafeBuffer term, int offset, int bound) {
        int end = offset + FrameHeader.ALIGNMENT;
        while (end < bound && term.getLong(end) == 0) {
            end += FrameHeader.ALIGNMENT;
        }
        return Math.min(end, bound);
    }
}
