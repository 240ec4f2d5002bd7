// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.udp.wire.Frames;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Row of data frames of one stream that are contiguous both in a datagram and in the term. Only the
 * last frame can be padding, which consists of its header only.
 */
final class FrameRow {
    private FrameRow() {}

    /**
     * Measures the row at the start of a part of a datagram.
     *
     * @param part part to parse.
     * @param termOffset required term offset of the first frame.
     * @return length up to the end of the row's last frame; 0 if the first frame does not belong to
     *     the stream or does not fit into its term.
     */
    static int length(
            UnsafeBuffer part,
            int termOffset,
            int termLength,
            int termId,
            int sessionId,
            int streamId) {
        int end = 0;
        int at = 0;
        boolean isPadding = false;
        while (!isPadding && part.capacity() - at >= FrameHeader.LENGTH) {
            int frameLength = part.getInt(at);
            int type = part.getShort(at + FrameHeader.TYPE) & 0xFFFF;
            isPadding = type == FrameHeader.TYPE_PAD;
            int held = isPadding ? FrameHeader.LENGTH : frameLength;
            if (frameLength < FrameHeader.LENGTH
                    || frameLength > termLength - termOffset - at
                    || type > FrameHeader.TYPE_DATA
                    || held > part.capacity() - at
                    || Frames.version(part, at) != Frames.VERSION
                    || part.getInt(at + FrameHeader.TERM_OFFSET) != termOffset + at
                    || part.getInt(at + FrameHeader.TERM_ID) != termId
                    || part.getInt(at + FrameHeader.SESSION_ID) != sessionId
                    || part.getInt(at + FrameHeader.STREAM_ID) != streamId) {
                break;
            }
            end = at + held;
            at += FrameHeader.align(held);
        }
        return end;
    }

    /**
     * Inserts a row into its term, with a single copy if none of its frames is there yet.
     *
     * @param term term to insert into.
     * @param termOffset term offset of the row.
     * @param row measured row.
     * @param length length of the row.
     * @param complete number of bytes at the start of the row that the image already has.
     * @return number of duplicate frames.
     */
    static int insert(
            UnsafeBuffer term, int termOffset, UnsafeBuffer row, int length, long complete) {
        if (complete <= 0 && isFree(term, termOffset, row, length)) {
            TermRebuilder.insert(term, termOffset, row, 0, length);
            return 0;
        }
        int duplicates = 0;
        int at = 0;
        while (at < length) {
            int held = heldLength(row, at);
            if (at >= complete && !TermRebuilder.insert(term, termOffset + at, row, at, held)) {
                duplicates++;
            }
            at += FrameHeader.align(held);
        }
        return duplicates;
    }

    private static boolean isFree(UnsafeBuffer term, int termOffset, UnsafeBuffer row, int length) {
        int at = 0;
        while (at < length) {
            if (term.getLong(termOffset + at) != 0) {
                return false;
            }
            at += FrameHeader.align(heldLength(row, at));
        }
        return true;
    }

    private static int heldLength(UnsafeBuffer row, int at) {
        boolean isPadding = (row.getShort(at + FrameHeader.TYPE) & 0xFFFF) == FrameHeader.TYPE_PAD;
        return isPadding ? FrameHeader.LENGTH : row.getInt(at);
    }
}
