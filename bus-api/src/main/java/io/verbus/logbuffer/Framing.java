// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

import java.lang.invoke.VarHandle;

/**
 * Splits messages into frames, and writes frames. Stateless, hence thread-safe.
 *
 * <p>Terms are given by address; see {@link LogBuffers#termAddress}. The caller must have checked
 * that the frame lies in the term.
 */
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

    /**
     * Returns the number of bytes that a message occupies in the log, including all headers and
     * padding.
     */
    int required(int length) {
        if (length <= maxPayload) {
            return FrameHeader.align(FrameHeader.LENGTH + length);
        }
        int last = length % maxPayload;
        return length / maxPayload * mtu
                + (last == 0 ? 0 : FrameHeader.align(FrameHeader.LENGTH + last));
    }

    /**
     * Checks a message. Called before space is claimed, because a claim must not fail halfway
     * through.
     */
    void checkMessage(DirectBuffer source, int offset, int length) {
        checkLength(length);
        source.boundsCheck(offset, length);
    }

    /** Checks a message of two parts, like {@link #checkMessage}. Returns the total length. */
    int checkParts(
            DirectBuffer first,
            int firstOffset,
            int firstLength,
            DirectBuffer second,
            int secondOffset,
            int secondLength) {
        if (firstLength < 0 || secondLength < 0) {
            throw new IllegalArgumentException(
                    "the length "
                            + Math.min(firstLength, secondLength)
                            + " of a part of the message is negative: pass a length of 0 or more");
        }
        long length = (long) firstLength + secondLength;
        checkLength((int) Math.min(length, Integer.MAX_VALUE));
        first.boundsCheck(firstOffset, firstLength);
        if (secondLength > 0) {
            second.boundsCheck(secondOffset, secondLength);
        }
        return (int) length;
    }

    /** Checks the length of a message. */
    void checkLength(int length) {
        if (length < 0 || length > maxMessage) {
            throw refusedLength(
                    "message",
                    length,
                    maxMessage,
                    "split the message or choose a longer term-length");
        }
    }

    private static IllegalArgumentException refusedLength(
            String what, int length, int max, String remedyIfTooLong) {
        return new IllegalArgumentException(
                what
                        + " length "
                        + length
                        + (length < 0
                                ? " is negative: pass a length of 0 or more"
                                : " is invalid: it must be between 0 and "
                                        + max
                                        + "; "
                                        + remedyIfTooLong));
    }

    /** Checks the length of padding, excluding its header. */
    void checkPadding(int length) {
        if (length < 0 || length > maxMessage) {
            throw new IllegalArgumentException(
                    "padding length "
                            + length
                            + " is invalid: it must be between 0 and "
                            + maxMessage);
        }
    }

    /**
     * Checks a block of frames. Called before space is claimed, because readers follow the frames
     * in a log.
     *
     * @param termId id of the term that the block must belong to.
     * @param termOffset term offset at which the block must start.
     * @param room number of bytes from that offset to the end of the term.
     */
    void checkBlock(
            DirectBuffer source, int offset, int length, int termId, int termOffset, int room) {
        source.boundsCheck(offset, length);
        if (length == 0) {
            throw new IllegalArgumentException(
                    "the block is empty: offer one whole data frame or more");
        }
        int at = 0;
        while (at < length && at <= room - FrameHeader.LENGTH) {
            int frame = offset + at;
            long word = source.getLong(frame);
            boolean isFrame =
                    length - at >= FrameHeader.LENGTH
                            && FrameCheck.isData(word, at, Math.min(room, length))
                            && FrameHeader.length(word) <= mtu
                            && source.getLong(frame + FrameHeader.TERM_OFFSET)
                                    == (sessionWord() | (termOffset + at))
                            && source.getLong(frame + FrameHeader.STREAM_ID) == streamWord(termId);
            if (!isFrame) {
                throw new IllegalArgumentException(
                        "no frame of session "
                                + sessionId
                                + ", stream "
                                + streamId
                                + ", term "
                                + termId
                                + " and term offset "
                                + (termOffset + at)
                                + " starts at offset "
                                + at
                                + " of the block of "
                                + length
                                + " bytes: offer a contiguous sequence of complete data frames");
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        if (at != length) {
            throw new IllegalArgumentException(
                    "a block must consist of one or more whole frames that fit into the "
                            + room
                            + " bytes left in the term, but has "
                            + length
                            + " bytes: offer a block that fits");
        }
    }

    /**
     * Returns the number of bytes that a batch occupies in the log. A batch must be no longer than
     * the longest message.
     */
    int required(MessageBatch batch) {
        return batch.required(maxPayload, maxMessage);
    }

    /** Checks the length of a claim. */
    void checkClaim(int length) {
        if (length < 0 || length > maxPayload) {
            throw refusedLength(
                    "claim",
                    length,
                    maxPayload,
                    "offer the message instead, or choose a larger mtu");
        }
    }

    /** Returns the first word of a frame that is being filled. */
    static long claimedWord(int frameLength) {
        return FrameHeader.word(
                -frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA);
    }

    /**
     * Marks a frame, including its extent, as claimed. Called before any other part of the frame is
     * written. For a log with a single writer.
     */
    void mark(long term, int offset, int frameLength) {
        UnsafeApi.putLong(term + offset, claimedWord(frameLength));
        // An unblocker that sees payload must also see the mark, or it would take the payload for
        // frames.
        VarHandle.storeStoreFence();
    }

    /**
     * Marks a frame, including its extent, as claimed. Called before any other part of the frame is
     * written.
     *
     * @return false if an unblocker has taken the space, in which case the frame must not be
     *     written.
     */
    boolean open(long term, int offset, int frameLength) {
        boolean isFree =
                UnsafeApi.compareAndSetLong(null, term + offset, 0, claimedWord(frameLength));
        // An unblocker that sees payload must also see the mark, or it would take the payload for
        // frames.
        VarHandle.storeStoreFence();
        return isFree;
    }

    /** Writes the header except its first word. */
    void header(long term, int offset, int termId, long reservedValue) {
        identity(term, offset, termId);
        UnsafeApi.putLong(term + offset + FrameHeader.RESERVED_VALUE, reservedValue);
    }

    /**
     * Writes the fields that are the same for every writer of a frame at this place, so races are
     * harmless.
     */
    void identity(long term, int offset, int termId) {
        UnsafeApi.putLong(term + offset + FrameHeader.TERM_OFFSET, sessionWord() | offset);
        UnsafeApi.putLong(term + offset + FrameHeader.STREAM_ID, streamWord(termId));
    }

    /** Returns the header's second word, whose high half is the session id, with term offset 0. */
    long sessionWord() {
        return (long) sessionId << 32;
    }

    /** Returns the header's third word: stream id and term id. */
    long streamWord(int termId) {
        return (streamId & 0xFFFF_FFFFL) | ((long) termId << 32);
    }

    /**
     * Copies a frame's payload. A short payload is copied in words: if the application has just
     * written it field by field, wider loads would stall until those stores have left the store
     * buffer.
     *
     * @param to address in the log; see {@link LogBuffers#termAddress}.
     */
    static void payload(long to, DirectBuffer source, int offset, int length) {
        byte[] array = source.byteArray();
        long from = source.addressOffset() + offset;
        if (length < Long.BYTES || length > MAX_COPIED_IN_WORDS) {
            UnsafeApi.copyMemory(array, from, null, to, length);
            return;
        }
        int last = length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            UnsafeApi.putLong(to + i, UnsafeApi.getLong(array, from + i));
        }
        // The last word may overlap the previous one.
        UnsafeApi.putLong(to + last, UnsafeApi.getLong(array, from + last));
    }

    /**
     * Commits a frame with the last store to it, so a reader that acquires the frame length sees
     * the whole frame. For a log with a single writer.
     */
    void commit(long term, int offset, int frameLength, int flags) {
        UnsafeApi.putLongRelease(
                null, term + offset, FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA));
    }

    /**
     * Commits an opened frame with the last store to it, unless an unblocker has taken the frame. A
     * reader that acquires the frame length sees the whole frame.
     *
     * <p>The publisher may have been suspended since it opened the frame. In the meantime, an
     * unblocker may have padded the frame, and other publishers may have reused the space any
     * number of laps later. The frame still belongs to the publisher if it is in the same term, is
     * claimed, and has the same length. One case goes undetected: the publisher is suspended again
     * between the two comparisons, for whole laps, and then finds an equally long claim at the same
     * place.
     *
     * @return whether the publisher still owned the frame.
     */
    static boolean commit(long frame, int termId, int frameLength, long word) {
        return UnsafeApi.getInt(frame + FrameHeader.TERM_ID) == termId
                && UnsafeApi.compareAndSetLong(null, frame, claimedWord(frameLength), word);
    }

    /**
     * Commits a frame, like {@link #commit(long, int, int, long)}, but in a log with a single
     * writer. Open frames in such a log are padded only when the stream ends, and their space is
     * not reused.
     *
     * @return whether the publisher still owned the frame.
     */
    static boolean commitAlone(long frame, int termId, int frameLength, long word) {
        if (UnsafeApi.getInt(frame + FrameHeader.TERM_ID) != termId
                || UnsafeApi.getLong(frame) != claimedWord(frameLength)) {
            return false;
        }
        UnsafeApi.putLongRelease(null, frame, word);
        return true;
    }

    /** Writes a padding frame. The log must have a single writer. */
    void pad(long term, int offset, int frameLength, int termId) {
        header(term, offset, termId, 0);
        UnsafeApi.putLongRelease(null, term + offset, padding(frameLength));
    }

    /** Returns the first word of a padding frame. */
    static long padding(int frameLength) {
        return FrameHeader.word(frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_PAD);
    }

    /** Returns the flags of a fragment, given its place in the message. */
    static int flags(boolean first, boolean last) {
        return (first ? FrameHeader.FLAG_BEGIN : 0) | (last ? FrameHeader.FLAG_END : 0);
    }
}
