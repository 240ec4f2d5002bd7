// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Turns the claims of dead owners into padding. Each publication's log has an unblocker, used by
 * the conductor's thread only.
 *
 * <p>An owner may die between any two of its stores. The tail is then further ahead, but the
 * consumer is stuck at one of the following:
 *
 * <ul>
 *   <li>a negative frame length: an uncommitted claim whose length is known.
 *   <li>a zero word: a claim that was not marked yet or, in an exclusive log, a message that was
 *       being appended. In an exclusive log, the padding extends to the tail at the time of
 *       blocking; in a concurrent log, it extends to the next non-zero word, but not beyond that
 *       tail.
 *   <li>the end of a term that was not rotated, because the owner of the claim that crossed the end
 *       died first.
 * </ul>
 *
 * <p>The time of blocking is when the log was first found blocked. A claim that a live thread makes
 * later must not be padded, even if it is not marked yet.
 *
 * <p>The padding replaces the word by compare-and-set, so that an earlier commit wins. An owner
 * that is alive and commits later detects that it has lost the claim, because its commit also
 * compares. An owner that has not marked its claim yet finds the end position of the padding in the
 * log's metadata. That position is stored before the padding, so an owner that finds the space
 * clean again also finds the position. An owner that commits with a plain store, such as an Aeron
 * client, detects nothing: its message replaces the padding or, if the space has been reused, is
 * lost and corrupts the data that is there now.
 */
public final class LogUnblocker {
    /** Position of an open claim if there is none. */
    public static final long NOT_BLOCKED = -1;

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
     * @param log log of the publication.
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
     * Watches the log, and unblocks one claim that has been open too long. Must be called
     * regularly, because the timeout runs from the first call that finds the log blocked.
     *
     * @param position position of the consumer.
     * @param nowNs monotonic time.
     * @param timeoutNs how long a claim may stay open, in nanoseconds.
     * @return whether a claim was unblocked.
     * @throws InvalidFrameException if a claim has an invalid extent.
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
     * Returns the position of the open claim that the last {@link #check} found, or {@link
     * #NOT_BLOCKED}.
     */
    public long blockedPosition() {
        return blockedPosition;
    }

    /** Returns the monotonic time of the first check that found the log blocked. */
    public long blockedSinceNs() {
        return blockedSinceNs;
    }

    /**
     * Pads every open claim in a log that no longer has appenders.
     *
     * @param position position of the frame at which to start.
     * @return the final position of the stream, before which everything is committed.
     * @throws InvalidFrameException if the log holds an invalid frame.
     */
    public long seal(long position) {
        // A faulty writer's frames could make this loop go around the log endlessly.
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
