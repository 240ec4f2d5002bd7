// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The tail of a log, and the rotation from one term to the next.
 *
 * <p>Each claim advances the raw tail of the active partition. The claim that first crosses the
 * term's end owns the rotation: it sets the raw tail of the next partition, then the active term
 * count. Both steps are conditional on the state that they replace, so the owner and an unblocker
 * may take them concurrently, and either may be late.
 */
public final class LogTail {
    private LogTail() {}

    /**
     * Returns the position up to which the log is claimed. Thread-safe.
     *
     * @param log log to examine.
     */
    public static long position(LogBuffers log) {
        UnsafeBuffer metadata = log.metadata();
        LogSpec spec = log.spec();
        int count = metadata.getIntAcquire(LogLayout.ACTIVE_TERM_COUNT);
        // If the log rotates during the call, the term id in the raw tail still identifies the
        // tail's term.
        long rawTail = metadata.getLongAcquire(offset(count));
        if (LogLayout.tailOffset(rawTail) > spec.termLength()) {
            // The next term may contain claims before it is active, made by late claimers of the
            // term that previously occupied the same partition.
            long next = metadata.getLongAcquire(offset(count + 1));
            if (LogLayout.termId(next) - LogLayout.termId(rawTail) > 0) {
                rawTail = next;
            }
        }
        return LogLayout.position(
                LogLayout.termId(rawTail),
                (int) Math.min(LogLayout.tailOffset(rawTail), spec.termLength()),
                LogLayout.positionBitsToShift(spec.termLength()),
                spec.initialTermId());
    }

    /**
     * Returns whether a claim has crossed the end of the active term but the next term is not
     * active yet. Briefly true during every rotation. Thread-safe.
     *
     * @param log log to examine.
     */
    public static boolean isRotating(LogBuffers log) {
        return fullTerm(log) >= 0;
    }

    /**
     * Finds the term from which the log has not finished rotating. Thread-safe.
     *
     * @param log log to examine.
     * @return the count of the term that is full and active, or -1. Callers must rotate from this
     *     count, because the log may rotate in the meantime, and the term that is then active is
     *     not full.
     */
    static int fullTerm(LogBuffers log) {
        UnsafeBuffer metadata = log.metadata();
        int count = metadata.getIntAcquire(LogLayout.ACTIVE_TERM_COUNT);
        long rawTail = metadata.getLongAcquire(offset(count));
        boolean isFull =
                count != Integer.MAX_VALUE
                        && LogLayout.termId(rawTail) - log.spec().initialTermId() == count
                        && LogLayout.tailOffset(rawTail) > log.spec().termLength();
        return isFull ? count : -1;
    }

    /** Returns the offset in the metadata of the raw tail of a term. */
    static int offset(int termCount) {
        return LogLayout.RAW_TAILS + LogLayout.partition(termCount) * Long.BYTES;
    }

    /**
     * Makes the term after the given one active, unless that term is already active. Thread-safe.
     *
     * @param metadata metadata of the log.
     * @param initialTermId initial term id of the log.
     * @param termCount count of the full term, which must not be the last term.
     */
    static void rotate(UnsafeBuffer metadata, int initialTermId, int termCount) {
        int nextCount = termCount + 1;
        int nextTermId = initialTermId + nextCount;
        int next = offset(nextCount);
        long rawTail = metadata.getLongAcquire(next);
        // Late claimers of the term that previously occupied this partition may still add to its
        // raw tail, once each.
        while (LogLayout.termId(rawTail) == nextTermId - LogLayout.PARTITIONS
                && !metadata.compareAndSetLong(next, rawTail, LogLayout.rawTail(nextTermId, 0))) {
            rawTail = metadata.getLongAcquire(next);
        }
        metadata.compareAndSetInt(LogLayout.ACTIVE_TERM_COUNT, termCount, nextCount);
    }
}
