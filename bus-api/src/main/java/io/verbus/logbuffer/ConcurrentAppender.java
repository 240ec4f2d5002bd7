// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.ReadablePosition;

import java.lang.ref.Reference;

/**
 * Appends to a publication's log from any thread of any process.
 *
 * <p>A claim is one atomic add to the raw tail of the active term: it decides the order of
 * messages. The claim that goes past the term's end pads the rest and rotates the log; those behind
 * it are told to try again. A claim is then marked by the negative length of its first frame,
 * filled, and committed by a release store of the first word, so that it can be told, whenever its
 * owner dies, how far it goes.
 *
 * <p>For a message of more than a 2,048th of a term, the limit is checked with the claim, by
 * compare-and-set: one such message may go past it, by an eighth of a term at most. For a shorter
 * one it is checked before the claim: each thread may go past it by one message, in whichever term
 * it finds itself by then. The term behind the limit is kept free for that, which is enough as long
 * as no more than {@value #MAX_THREADS} threads, of all processes, offer to the log at once.
 *
 * <p>An owner that was stopped may find its claim gone when it goes on: an unblocker has made
 * padding of it, and others may use the place again. Before a frame is marked, its position is
 * compared with where the last unblocked claim ended, and its first word with zero; before it is
 * committed, its term and the mark are compared. An append whose claim is gone has sent nothing
 * that is put together to a message, and says that it is to be tried again. What is left of its
 * claim is unblocked in its turn. Two cases remain: that the owner is stopped again in between a
 * comparison and the store, and that it wrote header or payload meanwhile, which may be into
 * another message.
 *
 * <p>No method allocates, but to refuse a wrong argument.
 */
public final class ConcurrentAppender extends GatheringAppender {
    /** Threads that may offer at once, of all processes: see the term behind the limit. */
    public static final int MAX_THREADS = 1792;

    /** What is not longer than this part of a term is claimed by an add. */
    private static final int ADDED_PART = 2048;

    private final UnsafeBuffer metadata;
    private final long metadataAddress;
    private final int initialTermId;
    private final int termLength;
    private final int maxAdded;
    private final int bitsToShift;
    private final long maxPosition;

    /**
     * @param log of the publication, mapped for writing.
     */
    public ConcurrentAppender(LogBuffers log) {
        this(log, (ReadablePosition) null);
    }

    /**
     * @param log of the publication, mapped for writing.
     * @param limit of the publication, for {@link #limit()}.
     */
    public ConcurrentAppender(LogBuffers log, ReadablePosition limit) {
        this(log, limit, log.spec().termLength() / ADDED_PART);
    }

    /**
     * @param maxAdded bytes of the longest message that is claimed by an add.
     */
    ConcurrentAppender(LogBuffers log, int maxAdded) {
        this(log, null, maxAdded);
    }

    private ConcurrentAppender(LogBuffers log, ReadablePosition limit, int maxAdded) {
        super(log, limit);
        metadata = log.metadata();
        metadataAddress = metadata.addressOffset();
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        this.maxAdded = maxAdded;
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
        boolean isSent;
        if (length <= framing.maxPayload()) {
            int frameLength = FrameHeader.LENGTH + length;
            isSent = open(term, count, at, frameLength);
            if (isSent) {
                framing.header(term, at, termId, reservedValue);
                Framing.payload(term + at + FrameHeader.LENGTH, source, offset, length);
                isSent = commit(term + at, termId, frameLength, FrameHeader.FLAGS_UNFRAGMENTED);
            }
        } else {
            isSent = appendFragments(term, count, at, source, offset, length, reservedValue);
        }
        Reference.reachabilityFence(log); // which may be closed, and forgotten, meanwhile
        return isSent ? termPosition(count) + at + required : AppendResult.ADMIN_ACTION;
    }

    // Committed first to last: a reader takes the first fragment while the next is being copied.
    private boolean appendFragments(
            long term,
            int count,
            int termOffset,
            DirectBuffer source,
            int offset,
            int length,
            long reservedValue) {
        int termId = initialTermId + count;
        int at = termOffset;
        int done = 0;
        do {
            int payload = Math.min(length - done, framing.maxPayload());
            int frameLength = FrameHeader.LENGTH + payload;
            if (!open(term, count, at, frameLength)) {
                return false;
            }
            framing.header(term, at, termId, reservedValue);
            Framing.payload(term + at + FrameHeader.LENGTH, source, offset + done, payload);
            int flags = Framing.flags(done == 0, done + payload == length);
            if (!commit(term + at, termId, frameLength, flags)) {
                return false;
            }
            done += payload;
            at += FrameHeader.align(frameLength);
        } while (done < length);
        return true;
    }

    @Override
    long claimMessage(int length, long limit) {
        int count = activeTermCount();
        long claimed = claimTail(count, framing.required(length), limit);
        return claimed < 0 ? claimed : termPosition(count) + claimed;
    }

    @Override
    long openFrame(long position, int frameLength) {
        int count = (int) (position >>> bitsToShift);
        int offset = LogLayout.termOffset(position, termLength);
        long term = log.termAddress(LogLayout.partition(count));
        if (!open(term, count, offset, frameLength)) {
            return GONE;
        }
        framing.header(term, offset, initialTermId + count, 0);
        return term + offset;
    }

    @Override
    boolean commitFrame(long position, long frame, int frameLength, int flags) {
        return commit(frame, termId(position), frameLength, flags);
    }

    @Override
    void abandon(long position, long frame, int frameLength, long end) {
        Framing.commit(frame, termId(position), frameLength, Framing.padding(frameLength));
        long next = position + FrameHeader.align(frameLength);
        if (next < end) {
            int count = (int) (position >>> bitsToShift);
            pad(count, LogLayout.termOffset(next, termLength), (int) (end - next));
        }
    }

    private int termId(long position) {
        return LogLayout.termId(position, bitsToShift, initialTermId);
    }

    private boolean open(long term, int count, int offset, int frameLength) {
        return termPosition(count) + offset
                        >= UnsafeApi.getLongAcquire(null, metadataAddress + LogLayout.UNBLOCKED)
                && framing.open(term, offset, frameLength);
    }

    private static boolean commit(long frame, int termId, int frameLength, int flags) {
        long word = FrameHeader.word(frameLength, flags, FrameHeader.TYPE_DATA);
        return Framing.commit(frame, termId, frameLength, word);
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
        if (!open(term, count, at, frameLength)) {
            return AppendResult.ADMIN_ACTION;
        }
        int termId = initialTermId + count;
        framing.header(term, at, termId, 0);
        claim.wrap(log, true, term + at, termId, frameLength);
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
        long rawTail;
        do {
            rawTail = UnsafeApi.getLongAcquire(null, tail);
            long offset = LogLayout.tailOffset(rawTail);
            // Not adding to a tail that is past the end keeps it from running into the term id.
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
            if (required <= maxAdded) {
                rawTail = UnsafeApi.getAndAddLong(null, tail, required);
                break;
            }
        } while (!UnsafeApi.compareAndSetLong(null, tail, rawTail, rawTail + required));
        long offset = LogLayout.tailOffset(rawTail);
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
            pad(count, (int) offset, required);
        } else if (offset <= termLength) {
            endTerm(count, (int) offset);
        }
        return rotating(count);
    }

    /** Ends the term; only the one claim that begins in it and ends behind it gets here. */
    private void endTerm(int count, int offset) {
        if (offset < termLength) {
            pad(count, offset, termLength - offset);
        }
        if (count != Integer.MAX_VALUE) {
            LogTail.rotate(metadata, initialTermId, count);
        }
    }

    private void pad(int count, int offset, int length) {
        long term = log.termAddress(LogLayout.partition(count));
        if (open(term, count, offset, length)) {
            int termId = initialTermId + count;
            framing.header(term, offset, termId, 0);
            Framing.commit(term + offset, termId, length, Framing.padding(length));
        }
    }

    private static long rotating(int count) {
        return count == Integer.MAX_VALUE
                ? AppendResult.MAX_POSITION_EXCEEDED
                : AppendResult.ADMIN_ACTION;
    }
}
