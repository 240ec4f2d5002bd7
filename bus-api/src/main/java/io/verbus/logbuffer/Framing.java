// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

import java.lang.invoke.VarHandle;

/**
 * How a log's messages are cut into frames, and how frames are written. Stateless: any thread.
 *
 * <p>Terms are given by their addresses, {@link LogBuffers#termAddress}; the caller has checked
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
        checkLength(length);
        source.boundsCheck(offset, length);
    }

    /** As {@link #checkMessage}, of a message in two parts. Returns the length of both. */
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
                            + " of a part of the message is negative");
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
            throw new IllegalArgumentException(
                    "message length "
                            + length
                            + " is not from 0 to "
                            + maxMessage
                            + ": split the message or choose a longer term-length");
        }
    }

    /** Checks the length of padding, its header not counted. */
    void checkPadding(int length) {
        if (length < 0 || length > maxMessage) {
            throw new IllegalArgumentException(
                    "padding length " + length + " is not from 0 to " + maxMessage);
        }
    }

    /**
     * Checks a block of frames before any of the log is claimed for it: what is in a log must lead
     * readers on.
     *
     * @param termId of the term that it is for.
     * @param termOffset that it is for.
     * @param room bytes from there to the end of the term.
     */
    void checkBlock(
            DirectBuffer source, int offset, int length, int termId, int termOffset, int room) {
        source.boundsCheck(offset, length);
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
                                + " is at "
                                + at
                                + " of the block of "
                                + length
                                + " bytes: offer whole frames of data, one behind the other");
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        if (at != length || length == 0) {
            throw new IllegalArgumentException(
                    "a block of "
                            + length
                            + " bytes is not made of whole frames in the "
                            + room
                            + " bytes that are left of the term: offer a shorter one");
        }
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

    /** What the first word of a frame holds while the frame is being filled. */
    static long claimedWord(int frameLength) {
        return FrameHeader.word(
                -frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA);
    }

    /**
     * Marks a frame as claimed, and how far it goes, before anything else of it is written. For a
     * log with a single writer.
     */
    void mark(long term, int offset, int frameLength) {
        UnsafeApi.putLong(term + offset, claimedWord(frameLength));
        // An unblocker that sees payload must see the mark: it would take payload for frames.
        VarHandle.storeStoreFence();
    }

    /**
     * Marks a frame as claimed, and how far it goes, before anything else of it is written.
     *
     * @return whether the place was free; if not, an unblocker has taken it and nothing of it may
     *     be written.
     */
    boolean open(long term, int offset, int frameLength) {
        boolean isFree =
                UnsafeApi.compareAndSetLong(null, term + offset, 0, claimedWord(frameLength));
        // An unblocker that sees payload must see the mark: it would take payload for frames.
        VarHandle.storeStoreFence();
        return isFree;
    }

    /** Writes all of the header but the first word. */
    void header(long term, int offset, int termId, long reservedValue) {
        identity(term, offset, termId);
        UnsafeApi.putLong(term + offset + FrameHeader.RESERVED_VALUE, reservedValue);
    }

    /**
     * Writes what any writer of a frame at this place writes the same: safe to race with others.
     */
    void identity(long term, int offset, int termId) {
        UnsafeApi.putLong(term + offset + FrameHeader.TERM_OFFSET, sessionWord() | offset);
        UnsafeApi.putLong(term + offset + FrameHeader.STREAM_ID, streamWord(termId));
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
     *
     * @param to address in the log, see {@link LogBuffers#termAddress}.
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
        // May overlap the one before.
        UnsafeApi.putLong(to + last, UnsafeApi.getLong(array, from + last));
    }

    /**
     * Publishes a frame: the last store to it. A reader that acquires its length sees all of it.
     * For a log with a single writer.
     */
    void commit(long term, int offset, int frameLength, int flags) {
        UnsafeApi.putLongRelease(
                null, term + offset, FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA));
    }

    /**
     * Publishes a frame that was opened, unless it was taken away: the last store to it. Whoever
     * acquires its length sees all of it.
     *
     * <p>A publisher may have been stopped since the frame was opened. Meanwhile an unblocker may
     * have made padding of it, and others may have filled the place again, any number of laps
     * later. The frame is still the publisher's own if it is of the same term, claimed, and as
     * long. What is not seen: a publisher that is stopped again between the two comparisons, for
     * whole laps, and finds a claim as long at the same place.
     *
     * @return whether the frame was still there.
     */
    static boolean commit(long frame, int termId, int frameLength, long word) {
        return UnsafeApi.getInt(frame + FrameHeader.TERM_ID) == termId
                && UnsafeApi.compareAndSetLong(null, frame, claimedWord(frameLength), word);
    }

    /**
     * As {@link #commit(long, int, int, long)}, for a log with a single writer: padding is made of
     * what that has begun only where the stream ends, and nobody fills the place again.
     */
    static boolean commitAlone(long frame, int termId, int frameLength, long word) {
        if (UnsafeApi.getInt(frame + FrameHeader.TERM_ID) != termId
                || UnsafeApi.getLong(frame) != claimedWord(frameLength)) {
            return false;
        }
        UnsafeApi.putLongRelease(null, frame, word);
        return true;
    }

    /** Writes a padding frame. For a log with a single writer. */
    void pad(long term, int offset, int frameLength, int termId) {
        header(term, offset, termId, 0);
        UnsafeApi.putLongRelease(null, term + offset, padding(frameLength));
    }

    /** First word of a padding frame. */
    static long padding(int frameLength) {
        return FrameHeader.word(frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_PAD);
    }

    /** Flags of the fragment that holds the given part of a message. */
    static int flags(boolean first, boolean last) {
        return (first ? FrameHeader.FLAG_BEGIN : 0) | (last ? FrameHeader.FLAG_END : 0);
    }
}
