// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns claims whose owner has died into padding. One per publication's log; the conductor's.
 *
 * <p>An owner may die between any two of its stores. What is then found at the position that no
 * consumer passes, while the tail is ahead of it:
 *
 * <ul>
 *   <li>a negative frame length: a claim that was not committed. Its extent is known.
 *   <li>a zero word: a claim of which nothing is written yet, or, in an exclusive log, a message
 *       that was being appended. It ends, in an exclusive log, where the tail was; in a concurrent
 *       one at the next claim that has left a mark, or where the tail was.
 *   <li>nothing, because the claim that went past the term's end did not finish the rotation.
 * </ul>
 *
 * "Where the tail was" is where it was when the log was first seen blocked: a claim made since then
 * by a live thread must not be swallowed, though it may have left no mark yet.
 *
 * <p>The padding replaces the word by compare-and-set, so that a commit that comes first wins. An
 * owner that is alive and commits later finds that the claim is no longer its own, as its commit
 * compares, too; one that has left no mark yet finds the position behind the padding in the log's
 * metadata. That position is stored first: a reader that finds the place clean again finds it as
 * well. An owner that only stores, such as a client of Aeron, does not learn of it: its message
 * takes the place of the padding, or is lost, and spoils what is there if that part of the log is
 * in use again.
 */
public final class LogUnblocker {
    private static final long NOT_BLOCKED = -1;

    private final LogBuffers log;
    private final boolean isExclusive;
    private final Framing framing;
    private final int initialTermId;
    private final int termLength;
    private final int bitsToShift;
    private long blockedPosition = NOT_BLOCKED;
    private long blockedSinceNs;
    private long tailThen;

    /**
     * @param log of the publication.
     * @param isExclusive whether its only writer is an {@link ExclusiveAppender}.
     */
    public LogUnblocker(LogBuffers log, boolean isExclusive) {
        this.log = log;
        this.isExclusive = isExclusive;
        framing = new Framing(log.spec());
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
    }

    /**
     * Watches the log, and unblocks one claim when it has been in the way for too long. To be
     * called regularly: the time runs from the first call that finds the log blocked.
     *
     * @param position that the consumer has reached.
     * @param nowNs monotonic time.
     * @param timeoutNs that a claim may stay open.
     * @return whether something was unblocked.
     * @throws InvalidFrameException if a claim has an extent that no appender writes.
     */
    public boolean check(long position, long nowNs, long timeoutNs) {
        if (!isBlocked(position)) {
            blockedPosition = NOT_BLOCKED;
            return false;
        }
        if (position != blockedPosition) {
            blockedPosition = position;
            blockedSinceNs = nowNs;
            tailThen = LogTail.position(log);
            return false;
        }
        if (nowNs - blockedSinceNs < timeoutNs) {
            return false;
        }
        blockedPosition = NOT_BLOCKED;
        return unblock(position, tailThen);
    }

    /**
     * Makes padding of every open claim, for a log that nothing appends to any more.
     *
     * @param position of a frame, from which on the log is looked at.
     * @return the final position of the stream: all before it is committed.
     * @throws InvalidFrameException if the log holds what no appender writes.
     */
    public long seal(long position) {
        // Frames of a broken writer could lead round the log without end.
        long most = position + (long) LogLayout.PARTITIONS * termLength;
        long tail = Math.min(LogTail.position(log), most);
        long at = position;
        while (at < tail) {
            int offset = LogLayout.termOffset(at, termLength);
            UnsafeBuffer term = log.term(LogLayout.partition(at, bitsToShift));
            long word = term.getLongAcquire(offset);
            if (FrameHeader.length(word) <= 0) {
                unblock(at, tail);
                word = term.getLongAcquire(offset);
            }
            if (!FrameCheck.isValid(word, offset, termLength)) {
                throw FrameCheck.invalid(word, at, offset, termLength);
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        return at;
    }

    private boolean isBlocked(long position) {
        if (position >= LogTail.position(log)) {
            return LogTail.isRotating(log);
        }
        UnsafeBuffer term = log.term(LogLayout.partition(position, bitsToShift));
        int offset = LogLayout.termOffset(position, termLength);
        return FrameHeader.length(term.getLongAcquire(offset)) <= 0;
    }

    private boolean unblock(long position, long tail) {
        boolean isPadded = position < tail && padClaim(position, tail);
        return finishRotation() || isPadded;
    }

    private boolean padClaim(long position, long tail) {
        UnsafeBuffer term = log.term(LogLayout.partition(position, bitsToShift));
        int offset = LogLayout.termOffset(position, termLength);
        int bound = (int) Math.min(tail - position + offset, termLength);
        long word = term.getLongAcquire(offset);
        int length = FrameHeader.length(word);
        if (length > 0) {
            return false;
        }
        if (length < 0) {
            long committed = FrameHeader.word(-length, FrameHeader.FLAGS_UNFRAGMENTED, 0);
            if (!FrameCheck.isValid(committed, offset, bound)) {
                throw FrameCheck.invalid(word, position, offset, termLength);
            }
            return pad(term, offset, position, word, -length);
        }
        return pad(term, offset, position, word, gapEnd(term, offset, bound) - offset);
    }

    private int gapEnd(UnsafeBuffer term, int offset, int bound) {
        if (isExclusive) {
            return bound;
        }
        int end = offset + FrameHeader.ALIGNMENT;
        while (end < bound && term.getLongAcquire(end) == 0) {
            end += FrameHeader.ALIGNMENT;
        }
        return end;
    }

    private boolean pad(UnsafeBuffer term, int offset, long position, long word, int frameLength) {
        UnsafeBuffer metadata = log.metadata();
        long end = position + FrameHeader.align(frameLength);
        metadata.putLongRelease(
                LogLayout.UNBLOCKED, Math.max(end, metadata.getLong(LogLayout.UNBLOCKED)));
        framing.identity(
                term.addressOffset(),
                offset,
                LogLayout.termId(position, bitsToShift, initialTermId));
        return term.compareAndSetLong(offset, word, Framing.padding(frameLength));
    }

    private boolean finishRotation() {
        int count = LogTail.fullTerm(log);
        if (count < 0) {
            return false;
        }
        LogTail.rotate(log.metadata(), initialTermId, count);
        return true;
    }
}
