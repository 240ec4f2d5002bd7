// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.VarHandle;

/** How a log's messages are cut into frames, and how frames are written. Stateless: any thread. */
final class Framing {
    private static final int MAX_COPIED_IN_WORDS = 64;

    private final int sessionId;
    private final int streamId;
    private final int mtu;
    private final int maxPayload;
    private final int maxMessage;

    Framing(LogSpec spec) {
        sessionId = spec.sessionId();
        streamId = spec.streamId();
        mtu = spec.mtu();
        maxPayload = mtu - FrameHeader.LENGTH;
        maxMessage = LogLayout.maxMessageLength(spec.termLength());
    }

    int maxPayload() {
        return maxPayload;
    }

    /** Bytes of log that a message takes, all its frames' headers and padding included. */
    int required(int length) {
        if (length <= maxPayload) {
            return FrameHeader.align(FrameHeader.LENGTH + length);
        }
        int last = length % maxPayload;
        return length / maxPayload * mtu
                + (last == 0 ? 0 : FrameHeader.align(FrameHeader.LENGTH + last));
    }

    /** Checks a message before any of the log is claimed for it: a claim must not fail half-way. */
    void checkMessage(DirectBuffer source, int offset, int length) {
        if (length < 0 || length > maxMessage) {
            throw new IllegalArgumentException(
                    "message length "
                            + length
                            + " is not from 0 to "
                            + maxMessage
                            + ": split the message or choose a longer term-length");
        }
        source.boundsCheck(offset, length);
    }

    /** Checks the length of a claim. */
    void checkClaim(int length) {
        if (length < 0 || length > maxPayload) {
            throw new IllegalArgumentException(
                    "claim length "
                            + length
                            + " is not from 0 to "
                            + maxPayload
                            + ": offer the message instead, or choose a larger mtu");
        }
    }

    /** Marks a frame as claimed, and how far it goes, before anything else of it is written. */
    void open(UnsafeBuffer term, int offset, int frameLength) {
        term.putLong(
                offset,
                FrameHeader.word(
                        -frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA));
        // An unblocker that sees payload must see the mark: it would take payload for frames.
        VarHandle.storeStoreFence();
    }

    /** Writes all of the header but the first word. */
    void header(UnsafeBuffer term, int offset, int termId, long reservedValue) {
        identity(term, offset, termId);
        term.putLong(offset + FrameHeader.RESERVED_VALUE, reservedValue);
    }

    /**
     * Writes what any writer of a frame at this place writes the same: safe to race with others.
     */
    void identity(UnsafeBuffer term, int offset, int termId) {
        term.putLong(offset + FrameHeader.TERM_OFFSET, sessionWord() | offset);
        term.putLong(offset + FrameHeader.STREAM_ID, streamWord(termId));
    }

    /** Session id as it stands in the header's second word, whose low half is the term offset. */
    long sessionWord() {
        return (long) sessionId << 32;
    }

    /** The header's third word: stream id and term id. */
    long streamWord(int termId) {
        return (streamId & 0xFFFF_FFFFL) | ((long) termId << 32);
    }

    /**
     * Copies a frame's payload. A short one in words: an application that has just written it field
     * by field would wait for a wider load until its stores have left the store buffer.
     */
    static void payload(UnsafeBuffer term, int at, DirectBuffer source, int offset, int length) {
        if (length < Long.BYTES || length > MAX_COPIED_IN_WORDS) {
            term.putBytes(at, source, offset, length);
            return;
        }
        int last = length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            term.putLong(at + i, source.getLong(offset + i));
        }
        term.putLong(at + last, source.getLong(offset + last)); // may overlap the one before
    }

    /** Publishes a frame: the last store to it. Whoever acquires its length sees all of it. */
    void commit(UnsafeBuffer term, int offset, int frameLength, int flags) {
        term.putLongRelease(offset, FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA));
    }

    /** Writes a padding frame. */
    void pad(UnsafeBuffer term, int offset, int frameLength, int termId) {
        header(term, offset, termId, 0);
        term.putLongRelease(
                offset,
                FrameHeader.word(
                        frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_PAD));
    }

    /** Flags of the fragment that holds the given part of a message. */
    static int flags(boolean first, boolean last) {
        return (first ? FrameHeader.FLAG_BEGIN : 0) | (last ? FrameHeader.FLAG_END : 0);
    }
}
