// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.ReadablePosition;

/**
 * Appends to a publication's log as its only writer. Not thread-safe.
 *
 * <p>Uses no atomic read-modify-write operations, and stores a frame's first word only to commit
 * the frame, so that the cache line that subscribers poll moves to this processor only once per
 * message. The raw tail is published, with release, before the frame, so that nothing is ever read
 * past the tail. A zero frame length before the tail therefore means that one message is being
 * appended. For a claim, the appender also stores the negative frame length, because other messages
 * may follow the claim.
 *
 * <p>The log needs no cleaning, and its metadata says so: before the tail advances, the appender
 * zeroes the word at which the next frame will start, and no reader looks past that word. A frame
 * is written from its header to its end, followed by the next frame's first word. This sequential
 * access lets the hardware prefetcher fetch the next lines; a store far ahead would defeat it.
 *
 * <p>A frame is committed with a release store rather than a compare-and-set, because no thread
 * pads an open frame until the driver has dropped the client and ends the stream. An open claim is
 * then revoked; see {@link BufferClaim}.
 *
 * <p>No method allocates, except to reject an invalid argument.
 */
public final class ExclusiveAppender extends GatheringAppender {
    /**
     * Length in bytes of the longest frame after which every possible start of the next frame is
     * zeroed.
     */
    private static final int MAX_CLEARED_AFTER = 256;

    /**
     * Length in bytes of the longest frame after which the next frame's cache lines are fetched.
     */
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

    /** Term offset up to which every possible frame start after the tail is zero. */
    private int cleared;

    // Constant throughout a term: the raw tail for offset 0, and the header word with stream id and
    // term id.
    private long rawTail;
    private long streamWord;

    /**
     * Creates an appender at the log's tail.
     *
     * @param log log of the publication, mapped for writing, without another appender.
     */
    public ExclusiveAppender(LogBuffers log) {
        this(log, null);
    }

    /**
     * Creates an appender at the log's tail.
     *
     * @param log log of the publication, mapped for writing, without another appender.
     * @param limit publisher limit, for {@link #limit()}.
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
        if (length > framing.maxPayload()) {
            return appendFragments(source, offset, length, reservedValue, limit);
        }
        int at = termOffset;
        int frameLength = FrameHeader.LENGTH + length;
        int end = at + FrameHeader.align(frameLength);
        if (termPosition + at >= limit || end > termLength) {
            return claimTail(end - at, limit); // returns the reason
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
     * Fetches the next frame's cache lines into this processor's cache by storing zeroes where
     * frames may start. The next frame is assumed to be as long as this one, and one more line is
     * fetched. Runs after a commit, when no reader is waiting for the frame. Some of these lines
     * may be in the subscriber's cache, because its processor prefetches them. Fetching further
     * ahead is useless, because the lines would be lost again before they are written.
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
     * Zeroes the word at which the next frame will start. Called before the tail advances. Readers
     * then find no frame of an earlier lap there, even if this thread dies before the commit and
     * another thread pads the frame.
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

    // Commits the fragments from first to last, so that a reader can consume a fragment while the
    // next one is being copied.
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

    // Uses the frame's position rather than the active term, because a reserved value supplier may
    // append messages itself.
    @Override
    long openFrame(long position, int frameLength) {
        long term = log.termAddress(LogLayout.partition(position, bitsToShift));
        int offset = LogLayout.termOffset(position, termLength);
        framing.header(term, offset, LogLayout.termId(position, bitsToShift, initialTermId), 0);
        return term + offset;
    }

    @Override
    boolean commitFrame(long position, long frame, int frameLength, int flags) {
        if ((flags & FrameHeader.FLAG_END) == 0) { // the word after the last frame is already zero
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
     * @param length length in bytes, from 0 to {@link LogLayout#maxMessageLength}, excluding the
     *     header of 32 bytes that is added.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the padding, or a value of {@link AppendResult}.
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
     * Appends whole frames that belong at the stream's current position, such as frames that were
     * read from the same stream earlier.
     *
     * @param source buffer with contiguous data frames.
     * @param offset offset of the first frame in the source.
     * @param length length of all frames in bytes, at most the rest of the term.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the block, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if a frame is invalid or belongs elsewhere.
     * @throws IndexOutOfBoundsException if the source does not contain the block.
     */
    public long appendBlock(DirectBuffer source, int offset, int length, long limit) {
        if (position() >= Math.min(limit, maxPosition)) {
            return claimTail(FrameHeader.LENGTH, limit); // returns the reason
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
        UnsafeApi.putLongRelease(
                null, address + at, word); // last, because it makes all other frames reachable
        return position();
    }

    /**
     * Appends several messages with one update of the tail and one commit. Subscribers receive none
     * of the messages until all are in the log.
     *
     * @param batch messages of one frame each, together at most {@link LogLayout#maxMessageLength}
     *     with their headers.
     * @param limit position at which appending stops, read by the caller with acquire.
     * @return the stream's position after the batch, or a value of {@link AppendResult}.
     * @throws IllegalArgumentException if the batch is empty or too long.
     */
    public long appendBatch(MessageBatch batch, long limit) {
        int required = framing.required(batch);
        int at = termOffset;
        long refused = claimTail(required, limit);
        if (refused < 0) {
            return refused;
        }
        long word = batch.write(framing, address, at, termId);
        UnsafeApi.putLongRelease(null, address + at, word);
        return position();
    }

    /** Returns the id of the active term. Called on the appending thread only. */
    public int termId() {
        return termId;
    }

    /**
     * Returns the offset in the active term, or the term length if the next term is due. Called on
     * the appending thread only.
     */
    public int termOffset() {
        return termOffset;
    }

    /**
     * Claims space for a message of one frame, to be written in place. Other messages may be
     * claimed or appended before the claim is committed; subscribers receive them only after the
     * claimed message.
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

    /**
     * Returns the position up to which the log is written or claimed. Called on the appending
     * thread only.
     */
    public long position() {
        return termPosition + termOffset;
    }

    /** Claims space at the tail. Returns 0, or a negative result. */
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
