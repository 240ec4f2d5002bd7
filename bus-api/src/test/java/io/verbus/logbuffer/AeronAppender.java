// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.VarHandle;

/**
 * Appends as Aeron's clients do: commits a frame by four bytes, zeroes nothing ahead, does not
 * check the space of a claim, and leaves the reserved value unchanged unless one is given.
 */
final class AeronAppender {
    private final LogBuffers log;
    private final UnsafeBuffer metadata;
    private final boolean isExclusive;
    private final int termLength;
    private final int bitsToShift;
    private final int maxPayload;

    AeronAppender(LogBuffers log) {
        this.log = log;
        metadata = log.metadata();
        isExclusive = log.spec().type() == LogType.EXCLUSIVE_PUBLICATION;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        maxPayload = log.spec().mtu() - FrameHeader.LENGTH;
    }

    /** A claimed frame that is not committed. */
    record Claim(UnsafeBuffer term, int offset, int frameLength) {
        int payloadOffset() {
            return offset + FrameHeader.LENGTH;
        }

        void commit(long reservedValue) {
            term.putLong(offset + FrameHeader.RESERVED_VALUE, reservedValue);
            term.putIntRelease(offset, frameLength);
        }

        void abort() {
            term.putShort(offset + FrameHeader.TYPE, (short) FrameHeader.TYPE_PAD);
            term.putIntRelease(offset, frameLength);
        }
    }

    long append(DirectBuffer source, int offset, int length, long reservedValue, long limit) {
        int required = required(length);
        long end = claimTail(required, limit);
        if (end < 0) {
            return end;
        }
        UnsafeBuffer term = term(end - required);
        int at = LogLayout.termOffset(end - required, termLength);
        int termId = termId(end - required);
        int done = 0;
        do {
            int payload = Math.min(length - done, maxPayload);
            int frameLength = FrameHeader.LENGTH + payload;
            header(term, at, termId, frameLength);
            term.putBytes(at + FrameHeader.LENGTH, source, offset + done, payload);
            int flags = Framing.flags(done == 0, done + payload == length);
            term.putByte(at + FrameHeader.FLAGS, (byte) flags);
            term.putLong(at + FrameHeader.RESERVED_VALUE, reservedValue);
            term.putIntRelease(at, frameLength);
            done += payload;
            at += FrameHeader.align(frameLength);
        } while (done < length);
        return end;
    }

    /** Claims a frame; returns null where {@link #append} would return a negative result. */
    Claim claim(int length, long limit) {
        int required = required(length);
        long end = claimTail(required, limit);
        if (end < 0) {
            return null;
        }
        UnsafeBuffer term = term(end - required);
        int at = LogLayout.termOffset(end - required, termLength);
        header(term, at, termId(end - required), FrameHeader.LENGTH + length);
        return new Claim(term, at, FrameHeader.LENGTH + length);
    }

    private int required(int length) {
        int whole = length / maxPayload;
        int rest = length % maxPayload;
        return whole * FrameHeader.align(maxPayload + FrameHeader.LENGTH)
                + (rest > 0 || whole == 0 ? FrameHeader.align(rest + FrameHeader.LENGTH) : 0);
    }

    private UnsafeBuffer term(long position) {
        return log.term(LogLayout.partition(position, bitsToShift));
    }

    private int termId(long position) {
        return LogLayout.termId(position, bitsToShift, log.spec().initialTermId());
    }

    private void header(UnsafeBuffer term, int at, int termId, int frameLength) {
        term.putLongRelease(
                at,
                FrameHeader.word(
                        -frameLength, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA));
        VarHandle.storeStoreFence();
        term.putInt(at + FrameHeader.TERM_OFFSET, at);
        term.putInt(at + FrameHeader.SESSION_ID, metadata.getInt(LogLayout.SESSION_ID));
        term.putInt(at + FrameHeader.STREAM_ID, metadata.getInt(LogLayout.STREAM_ID));
        term.putInt(at + FrameHeader.TERM_ID, termId);
    }

    /** Returns the position after the claim, or a value of {@link AppendResult}. */
    private long claimTail(int required, long limit) {
        int count = metadata.getIntVolatile(LogLayout.ACTIVE_TERM_COUNT);
        int termId = log.spec().initialTermId() + count;
        int tail = LogTail.offset(count);
        long rawTail = metadata.getLongVolatile(tail);
        if (LogLayout.termId(rawTail) != termId) {
            return AppendResult.ADMIN_ACTION;
        }
        long begin = (long) count << bitsToShift;
        if (begin + Math.min(LogLayout.tailOffset(rawTail), termLength) >= limit) {
            return AppendResult.BACK_PRESSURED;
        }
        long offset;
        if (isExclusive) {
            offset = LogLayout.tailOffset(rawTail);
            metadata.putLongRelease(tail, rawTail + required);
        } else {
            rawTail = metadata.getAndAddLong(tail, required);
            offset = LogLayout.tailOffset(rawTail);
        }
        long end = offset + required;
        if (end > termLength) {
            return endTerm(count, LogLayout.termId(rawTail), offset);
        }
        return ((long) (LogLayout.termId(rawTail) - log.spec().initialTermId()) << bitsToShift)
                + end;
    }

    private long endTerm(int count, int termId, long offset) {
        if (offset < termLength) {
            int at = (int) offset;
            UnsafeBuffer term = log.term(LogLayout.partition(count));
            header(term, at, termId, termLength - at);
            term.putShort(at + FrameHeader.TYPE, (short) FrameHeader.TYPE_PAD);
            term.putIntRelease(at, termLength - at);
        }
        LogTail.rotate(metadata, log.spec().initialTermId(), count);
        return AppendResult.ADMIN_ACTION;
    }
}
