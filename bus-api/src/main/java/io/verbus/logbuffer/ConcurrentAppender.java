// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends to a publication's log from any thread of any process.
 *
 * <p>A claim is one atomic add to the raw tail of the active term: it decides the order of
 * messages. The claim that goes past the term's end pads the rest and rotates the log; those behind
 * it are told to try again. A claim is then marked by the negative length of its first frame,
 * filled, and committed by a release store of the first word, so that it can be told, whenever its
 * owner dies, how far it goes.
 *
 * <p>The limit is checked before the claim, not with it: each thread may go past it by one message.
 * The term behind the limit is kept free for that.
 *
 * <p>No method allocates, but to refuse a wrong argument.
 */
public final class ConcurrentAppender {
    private final LogBuffers log;
    private final UnsafeBuffer metadata;
    private final long metadataAddress;
    private final Framing framing;
    private final int initialTermId;
    private final int termLength;
    private final int bitsToShift;
    private final long maxPosition;

    /**
     * @param log of the publication, mapped for writing.
     */
    public ConcurrentAppender(LogBuffers log) {
        this.log = log;
        metadata = log.metadata();
        metadataAddress = metadata.addressOffset();
        framing = new Framing(log.spec());
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        maxPosition = LogLayout.maxPosition(termLength);
    }

    /**
     * Appends a message, in fragments if it is longer than the MTU allows.
     *
     * @param source that holds the message.
     * @param offset of the message in the source.
     * @param length of the message in bytes, 0 to {@link LogLayout#maxMessageLength}.
     * @param reservedValue for the header of each frame.
     * @param limit position from which on nothing may be appended, read by the caller with acquire.
     * @return the position of the stream behind the message, or one of {@link AppendResult}.
     * @throws IllegalArgumentException if the length is out of range.
     * @throws IndexOutOfBoundsException if the source does not hold the message.
     */
    public long append(
            DirectBuffer source, int offset, int length, long reservedValue, long limit) {
        framing.checkMessage(source, offset, length);
        int required = framing.required(length);
        int count = activeTermCount();
        long term = log.termAddress(LogLayout.partition(count));
        long claimed = claimTail(count, required, limit);
        if (claimed < 0) {
            return claimed;
        }
        int at = (int) claimed;
        int termId = initialTermId + count;
        if (length <= framing.maxPayload()) {
            int frameLength = FrameHeader.LENGTH + length;
            framing.open(term, at, frameLength);
            framing.header(term, at, termId, reservedValue);
            Framing.payload(term + at + FrameHeader.LENGTH, source, offset, length);
            framing.commit(term, at, frameLength, FrameHeader.FLAGS_UNFRAGMENTED);
        } else {
            appendFragments(term, at, termId, source, offset, length, reservedValue);
        }
        return termPosition(count) + at + required;
    }

    // Committed first to last: a reader takes the first fragment while the next is being copied.
    private void appendFragments(
            long term,
            int termOffset,
            int termId,
            DirectBuffer source,
            int offset,
            int length,
            long reservedValue) {
        int at = termOffset;
        int done = 0;
        do {
            int payload = Math.min(length - done, framing.maxPayload());
            int frameLength = FrameHeader.LENGTH + payload;
            framing.open(term, at, frameLength);
            framing.header(term, at, termId, reservedValue);
            Framing.payload(term + at + FrameHeader.LENGTH, source, offset + done, payload);
            int flags = Framing.flags(done == 0, done + payload == length);
            framing.commit(term, at, frameLength, flags);
            done += payload;
            at += FrameHeader.align(frameLength);
        } while (done < length);
    }

    /**
     * Claims space for a message of one frame, to be written in place.
     *
     * @param length of the message in bytes, at most the MTU less the header.
     * @param claim that takes the space over; untouched unless a position is returned.
     * @param limit position from which on nothing may be claimed, read by the caller with acquire.
     * @return the position of the stream behind the message, or one of {@link AppendResult}.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public long claim(int length, BufferClaim claim, long limit) {
        framing.checkClaim(length);
        int frameLength = FrameHeader.LENGTH + length;
        int required = FrameHeader.align(frameLength);
        int count = activeTermCount();
        long term = log.termAddress(LogLayout.partition(count));
        long claimed = claimTail(count, required, limit);
        if (claimed < 0) {
            return claimed;
        }
        int at = (int) claimed;
        framing.open(term, at, frameLength);
        framing.header(term, at, initialTermId + count, 0);
        claim.wrap(term + at, frameLength);
        return termPosition(count) + at + required;
    }

    /** Position up to which the log has been claimed, by whomever. */
    public long position() {
        return LogTail.position(log);
    }

    private int activeTermCount() {
        return UnsafeApi.getIntAcquire(null, metadataAddress + LogLayout.ACTIVE_TERM_COUNT);
    }

    private long termPosition(int count) {
        return (long) count << bitsToShift;
    }

    /**
     * Returns the offset of the space claimed in the term that was active, or a negative result.
     * Everything that depends on the term only can then be computed before the atomic add, whose
     * result is all that the frame's stores wait for.
     */
    private long claimTail(int count, int required, long limit) {
        long tail = metadataAddress + LogTail.offset(count);
        long rawTail = UnsafeApi.getLongAcquire(null, tail);
        long offset = LogLayout.tailOffset(rawTail);
        // Not adding to a tail that is past the end keeps it from ever running into the term id.
        if (LogLayout.termId(rawTail) - initialTermId != count || offset > termLength) {
            return rotating(count);
        }
        long position = termPosition(count) + offset;
        if (position + required > maxPosition) {
            return AppendResult.MAX_POSITION_EXCEEDED;
        }
        if (position >= limit) {
            return AppendResult.BACK_PRESSURED;
        }
        rawTail = UnsafeApi.getAndAddLong(null, tail, required);
        offset = LogLayout.tailOffset(rawTail);
        if (LogLayout.termId(rawTail) - initialTermId == count && offset + required <= termLength) {
            return offset;
        }
        return giveUp(rawTail, required);
    }

    /**
     * Gives up what was claimed: it ends behind its term, or is in a later term than the one that
     * was active, as the log went round meanwhile.
     *
     * @param rawTail to which the claim was added.
     */
    long giveUp(long rawTail, int required) {
        int count = LogLayout.termId(rawTail) - initialTermId;
        long offset = LogLayout.tailOffset(rawTail);
        if (offset + required <= termLength) {
            long term = log.termAddress(LogLayout.partition(count));
            framing.pad(term, (int) offset, required, initialTermId + count);
        } else if (offset <= termLength) {
            endTerm(count, (int) offset);
        }
        return rotating(count);
    }

    /** Ends the term; only the one claim that begins in it and ends behind it gets here. */
    private void endTerm(int count, int offset) {
        if (offset < termLength) {
            long term = log.termAddress(LogLayout.partition(count));
            framing.pad(term, offset, termLength - offset, initialTermId + count);
        }
        if (count != Integer.MAX_VALUE) {
            LogTail.rotate(metadata, initialTermId, count);
        }
    }

    private static long rotating(int count) {
        return count == Integer.MAX_VALUE
                ? AppendResult.MAX_POSITION_EXCEEDED
                : AppendResult.ADMIN_ACTION;
    }
}
