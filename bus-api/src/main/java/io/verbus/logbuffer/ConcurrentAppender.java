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
 * <p>A claim is one atomic add to the raw tail of the active term, which determines the order of
 * messages. The claim that crosses the term's end pads the rest and rotates the log; claims after
 * it return {@link AppendResult#ADMIN_ACTION}. The claimer marks its space with the negative length
 * of the first frame, fills it, and commits it with a release store of the first word. If the owner
 * dies, the mark shows how far its claim extends.
 *
 * <p>For a message longer than 1/2048 of a term, one compare-and-set both checks the limit and
 * claims the space. Only one such message may therefore exceed the limit, by at most an eighth of a
 * term. For a shorter message, the check precedes the claim, so each thread may exceed the limit by
 * one message, in whichever term is active by then. The term after the limit is kept free for this
 * overshoot, which is sufficient as long as at most {@value #MAX_THREADS} threads, over all
 * processes, append to the log concurrently.
 *
 * <p>An owner that was suspended may have lost its claim: an unblocker may have turned the claim
 * into padding, and other appenders may have reused the space. Therefore, before an appender marks
 * a frame, it compares the frame's position with the end of the last unblocked claim, and the
 * frame's first word with zero. Before it commits a frame, it compares the term and the mark. An
 * append that has lost its claim sends no complete message and returns {@link
 * AppendResult#ADMIN_ACTION}; the rest of its claim is unblocked later. Two races remain. The owner
 * may be suspended again between a comparison and the store; and it may write a header or payload
 * after it has lost the claim. Either may corrupt another message.
 *
 * <p>No method allocates, except to reject an invalid argument.
 */
public final class ConcurrentAppender extends GatheringAppender {
    /**
     * Number of threads, over all processes, that may append concurrently; bounds the overshoot of
     * the limit.
     */
    public static final int MAX_THREADS = 1792;

    /**
     * The length of the longest message that is claimed by an atomic add, as a divisor of the term
     * length.
     */
    private static final int ADDED_PART = 2048;

    private final UnsafeBuffer metadata;
    private final long metadataAddress;
    private final int initialTermId;
    private final int termLength;
    private final int maxAdded;
    private final int bitsToShift;
    private final long maxPosition;

    /**
     * @param log log of the publication, mapped for writing.
     */
    public ConcurrentAppender(LogBuffers log) {
        this(log, (ReadablePosition) null);
    }

    /**
     * @param log log of the publication, mapped for writing.
     * @param limit publisher limit, for {@link #limit()}.
     */
    public ConcurrentAppender(LogBuffers log, ReadablePosition limit) {
        this(log, limit, log.spec().termLength() / ADDED_PART);
    }

    /**
     * @param maxAdded length in bytes of the longest message that is claimed by an atomic add.
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
     * Appends a message, in fragments if it exceeds the MTU.
     *
     * @param source buffer with the message.
     * @param offset offset of the message in the source.
     * @param length length of the message in bytes, 0 to {@link LogLayout#maxMessageLength}.
     * @param reservedValue value for the header of each frame.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the message, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if the length is out of range.
     * @throws IndexOutOfBoundsException if the source does not contain the message.
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
        Reference.reachabilityFence(log); // the log may be closed and unreachable in the meantime
        return isSent ? termPosition(count) + at + required : AppendResult.ADMIN_ACTION;
    }

    // Commits the fragments from first to last, so that a reader can consume a fragment while the
    // next one is being copied.
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
     * @param length length of the message in bytes, at most the MTU less the header.
     * @param claim claim to set to the space; unchanged unless a position is returned.
     * @param limit position at which claiming stops, read by the caller with acquire.
     * @return the stream's position after the message, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public long claim(int length, BufferClaim claim, long limit) {
        framing.checkClaim(length);
        claim.checkFree();
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

    /**
     * Appends several messages contiguously, with one claim and one commit. Subscribers receive
     * none of the messages until all are in the log.
     *
     * @param batch messages of one frame each, together at most {@link LogLayout#maxMessageLength}
     *     with their headers.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the batch, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if the batch is empty or too long.
     */
    public long appendBatch(MessageBatch batch, long limit) {
        int required = framing.required(batch);
        int count = activeTermCount();
        long term = log.termAddress(LogLayout.partition(count));
        long claimed = claimTail(count, required, limit);
        if (claimed < 0) {
            return claimed;
        }
        int at = (int) claimed;
        int termId = initialTermId + count;
        boolean isSent = open(term, count, at, required);
        if (isSent) {
            long word = batch.write(framing, term, at, termId);
            isSent = Framing.commit(term + at, termId, required, word);
        }
        Reference.reachabilityFence(log); // the log may be closed and unreachable in the meantime
        return isSent ? termPosition(count) + at + required : AppendResult.ADMIN_ACTION;
    }

    /** Returns the position up to which any appender has claimed the log. */
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
     * Returns the offset of the claimed space in the active term, or a negative result. The caller
     * reads the term count, and computes everything that depends only on the term, before the
     * atomic add, because the stores to the frame must wait for the add's result.
     */
    private long claimTail(int count, int required, long limit) {
        long tail = metadataAddress + LogTail.offset(count);
        long rawTail;
        do {
            rawTail = UnsafeApi.getLongAcquire(null, tail);
            long offset = LogLayout.tailOffset(rawTail);
            // Do not add to a tail past the term's end: it could overflow into the term id.
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
     * Abandons claimed space that crosses the end of its term, or lies in a later term than the
     * caller expected because the log has rotated in the meantime.
     *
     * @param rawTail raw tail before the claim.
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

    /**
     * Pads the rest of the term and rotates the log; called for the one claim that crosses the
     * term's end.
     */
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
