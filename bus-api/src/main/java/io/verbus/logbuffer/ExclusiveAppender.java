// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * Appends to a publication's log as its only writer. One thread.
 *
 * <p>No atomic operation, and no store to a frame's first word before the one that commits it: the
 * line that subscribers poll is taken from them once a message. The raw tail is published, with
 * release, before the frame, so that nothing can ever be read that lies behind the tail. What lies
 * between a frame of length zero and the tail is therefore one message that is being appended; a
 * claim in addition has its negative length in place, as other messages may follow it.
 *
 * <p>The log needs no cleaning, which it says in its metadata: the word at which the next frame
 * will begin is zeroed before the tail gets there, and no reader looks further than that. A frame
 * is written from its header to its end, then the next one's first word: a processor that sees
 * lines asked for in their order fetches the next ones by itself, which a store far ahead of them
 * would keep it from.
 *
 * <p>A frame is committed by a store, not by a compare-and-set: no thread makes padding of what a
 * publisher has begun before the driver has given its client up, and ends the stream. A claim is
 * taken away then, see {@link BufferClaim}.
 *
 * <p>No method allocates, but to refuse a wrong argument.
 */
public final class ExclusiveAppender extends GatheringAppender {
    /** Bytes of a frame that is short: behind it all that the next one needs is zeroed. */
    private static final int MAX_CLEARED_AFTER = 256;

    /** Bytes of the longest frame behind which the lines of the next one are taken. */
    private static final int MAX_TAKEN_AFTER = 4096;

    private final UnsafeBuffer metadata;
    private final int initialTermId;
    private final int termLength;
    private final int bitsToShift;
    private final long maxPosition;
    private final long sessionWord;

    private UnsafeBuffer nextTerm;
    private long address;
    private long tailAddress;
    private int termCount;
    private int termId;
    private long termPosition;
    private int termOffset;

    /** Wherever a frame could begin from the tail's next word up to here, there is a zero. */
    private int cleared;

    // Constant through a term: its raw tail at offset 0, and the header's word of stream and term.
    private long rawTail;
    private long streamWord;

    /**
     * Begins at the log's tail.
     *
     * @param log of the publication, mapped for writing, with no other appender.
     */
    public ExclusiveAppender(LogBuffers log) {
        this(log, null);
    }

    /**
     * Begins at the log's tail.
     *
     * @param log of the publication, mapped for writing, with no other appender.
     * @param limit of the publication, for {@link #limit()}.
     */
    public ExclusiveAppender(LogBuffers log, ReadablePosition limit) {
        super(log, limit);
        metadata = log.metadata();
        sessionWord = framing.sessionWord();
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        maxPosition = LogLayout.maxPosition(termLength);
        metadata.putIntRelease(LogLayout.ZEROES_AHEAD, 1);
        int count = metadata.getIntAcquire(LogLayout.ACTIVE_TERM_COUNT);
        long rawTail = metadata.getLongAcquire(LogTail.offset(count));
        beginTerm(count, (int) Math.min(LogLayout.tailOffset(rawTail), termLength));
    }

    private void beginTerm(int count, int offset) {
        int partition = LogLayout.partition(count);
        address = log.termAddress(partition);
        nextTerm = log.term((partition + 1) % LogLayout.PARTITIONS);
        termCount = count;
        termId = initialTermId + count;
        termPosition = (long) count << bitsToShift;
        termOffset = offset;
        cleared = offset;
        tailAddress = metadata.addressOffset() + LogTail.offset(count);
        rawTail = LogLayout.rawTail(termId, 0);
        streamWord = framing.streamWord(termId);
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
        if (length > framing.maxPayload()) {
            return appendFragments(source, offset, length, reservedValue, limit);
        }
        int at = termOffset;
        int frameLength = FrameHeader.LENGTH + length;
        int end = at + FrameHeader.align(frameLength);
        if (termPosition + at >= limit || end > termLength) {
            return claimTail(end - at, limit); // says why not
        }
        long frame = address + at;
        UnsafeApi.putLong(frame + FrameHeader.TERM_OFFSET, sessionWord | at);
        UnsafeApi.putLong(frame + FrameHeader.STREAM_ID, streamWord);
        UnsafeApi.putLong(frame + FrameHeader.RESERVED_VALUE, reservedValue);
        Framing.payload(frame + FrameHeader.LENGTH, source, offset, length);
        if (end >= cleared) {
            openFrontier(end);
        }
        publishTail(end);
        termOffset = end;
        framing.commit(address, at, frameLength, FrameHeader.FLAGS_UNFRAGMENTED);
        takeNextLines(end, frameLength);
        return termPosition + end;
    }

    /**
     * Stores zeroes where frames may begin in the lines of the next frame, if it is as long as this
     * one, and in the line behind. After a frame is committed, when no reader waits for it: that
     * takes those lines to this processor again, of which the subscriber's fetches some before they
     * are asked for. Further ahead would be too early: they would be gone when they are written.
     */
    private void takeNextLines(int end, int frameLength) {
        int target = Math.min(end + frameLength + BitUtil.CACHE_LINE_LENGTH, termLength);
        if (frameLength <= MAX_CLEARED_AFTER) {
            int at = Math.max(cleared, end + FrameHeader.ALIGNMENT);
            while (at < target) {
                UnsafeApi.putLong(address + at, 0);
                at += FrameHeader.ALIGNMENT;
            }
            cleared = at;
        } else if (frameLength <= MAX_TAKEN_AFTER) {
            int at = BitUtil.align(end + FrameHeader.ALIGNMENT, BitUtil.CACHE_LINE_LENGTH);
            while (at < target) {
                UnsafeApi.putLong(address + at, 0);
                at += BitUtil.CACHE_LINE_LENGTH;
            }
        }
    }

    /**
     * Zeroes the word at which the next frame will begin, before the tail gets there: readers find
     * nothing yet, whatever an earlier lap has left, also if this thread dies before the commit and
     * another thread makes padding of the frame.
     */
    private void openFrontier(int end) {
        if (end < termLength) {
            UnsafeApi.putLong(address + end, 0);
        } else {
            nextTerm.putLong(0, 0);
        }
    }

    private long appendFragments(
            DirectBuffer source, int offset, int length, long reservedValue, long limit) {
        int at = termOffset;
        long refused = claimTail(framing.required(length), limit);
        if (refused < 0) {
            return refused;
        }
        writeFragments(at, source, offset, length, reservedValue);
        return termPosition + termOffset;
    }

    // Committed first to last: a reader takes the first fragment while the next is being copied.
    private void writeFragments(
            int termOffset, DirectBuffer source, int offset, int length, long reservedValue) {
        int at = termOffset;
        int done = 0;
        do {
            int payload = Math.min(length - done, framing.maxPayload());
            int frameLength = FrameHeader.LENGTH + payload;
            framing.header(address, at, termId, reservedValue);
            Framing.payload(address + at + FrameHeader.LENGTH, source, offset + done, payload);
            openFrontier(at + FrameHeader.align(frameLength));
            int flags = Framing.flags(done == 0, done + payload == length);
            framing.commit(address, at, frameLength, flags);
            done += payload;
            at += FrameHeader.align(frameLength);
        } while (done < length);
    }

    @Override
    long claimMessage(int length, long limit) {
        long start = position();
        long refused = claimTail(framing.required(length), limit);
        return refused < 0 ? refused : start;
    }

    // By the frame's position, not by the active term: a supplier of a reserved value may append.
    @Override
    long openFrame(long position, int frameLength) {
        long term = log.termAddress(LogLayout.partition(position, bitsToShift));
        int offset = LogLayout.termOffset(position, termLength);
        framing.header(term, offset, LogLayout.termId(position, bitsToShift, initialTermId), 0);
        return term + offset;
    }

    @Override
    boolean commitFrame(long position, long frame, int frameLength, int flags) {
        if ((flags & FrameHeader.FLAG_END) == 0) { // what is behind the message is open already
            UnsafeApi.putLong(frame + FrameHeader.align(frameLength), 0);
        }
        framing.commit(frame, 0, frameLength, flags);
        return true;
    }

    @Override
    void abandon(long position, long frame, int frameLength, long end) {
        UnsafeApi.putLongRelease(null, frame, Framing.padding((int) (end - position)));
    }

    /**
     * Appends padding, which subscribers skip.
     *
     * @param length in bytes, without the header of 32 that is added, 0 to {@link
     *     LogLayout#maxMessageLength}.
     * @param limit position from which on nothing may be appended, read by the caller with acquire.
     * @return the position of the stream behind the padding, or one of {@link AppendResult}.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public long appendPadding(int length, long limit) {
        framing.checkPadding(length);
        int at = termOffset;
        int required = FrameHeader.align(FrameHeader.LENGTH + length);
        long refused = claimTail(required, limit);
        if (refused < 0) {
            return refused;
        }
        framing.pad(address, at, required, termId);
        return position();
    }

    /**
     * Appends whole frames of this very place in the stream, such as were read from it before.
     *
     * @param source that holds the frames of data, one behind the other.
     * @param offset of the first frame in the source.
     * @param length of all frames in bytes, at most what is left of the term.
     * @param limit position from which on nothing may be appended, read by the caller with acquire.
     * @return the position of the stream behind the block, or one of {@link AppendResult}.
     * @throws IllegalArgumentException if a frame is not one, or one of another place.
     * @throws IndexOutOfBoundsException if the source does not hold the block.
     */
    public long appendBlock(DirectBuffer source, int offset, int length, long limit) {
        if (position() >= Math.min(limit, maxPosition)) {
            return claimTail(FrameHeader.LENGTH, limit); // says why not
        }
        if (termOffset == termLength) {
            endTerm();
        }
        int at = termOffset;
        framing.checkBlock(source, offset, length, termId, at, termLength - at);
        long word = source.getLong(offset);
        long refused = claimTail(length, limit);
        if (refused < 0) {
            return refused;
        }
        long from = source.addressOffset() + offset + Long.BYTES;
        long to = address + at + Long.BYTES;
        UnsafeApi.copyMemory(source.byteArray(), from, null, to, length - Long.BYTES);
        UnsafeApi.putLongRelease(null, address + at, word); // last: it leads to all the others
        return position();
    }

    /** Id of the active term. The appending thread's. */
    public int termId() {
        return termId;
    }

    /** Offset in the active term, its length where the next one is due. The appending thread's. */
    public int termOffset() {
        return termOffset;
    }

    /**
     * Claims space for a message of one frame, to be written in place. Other messages may be
     * claimed or appended before it is committed; subscribers see them after it.
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
        int at = termOffset;
        long refused = claimTail(FrameHeader.align(frameLength), limit);
        if (refused < 0) {
            return refused;
        }
        framing.mark(address, at, frameLength);
        framing.header(address, at, termId, 0);
        claim.wrap(log, false, address + at, termId, frameLength);
        return termPosition + termOffset;
    }

    /** Position up to which the log has been appended to or claimed. The appending thread's. */
    public long position() {
        return termPosition + termOffset;
    }

    /** Returns 0 when the space is claimed, or a negative result. */
    private long claimTail(int required, long limit) {
        long position = termPosition + termOffset;
        if (position + required > maxPosition) {
            return AppendResult.MAX_POSITION_EXCEEDED;
        }
        if (position >= limit) {
            return AppendResult.BACK_PRESSURED;
        }
        int end = termOffset + required;
        if (end > termLength) {
            return endTerm();
        }
        if (end >= cleared) {
            openFrontier(end);
        }
        publishTail(end);
        termOffset = end;
        return 0;
    }

    private void publishTail(int end) {
        UnsafeApi.putLongRelease(null, tailAddress, rawTail | end);
    }

    private long endTerm() {
        if (termOffset < termLength) {
            openFrontier(termLength);
            publishTail(termLength);
            framing.pad(address, termOffset, termLength - termOffset, termId);
        }
        LogTail.rotate(metadata, initialTermId, termCount);
        beginTerm(termCount + 1, 0);
        return AppendResult.ADMIN_ACTION;
    }
}
