// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The tail of a log, and the rotation from one term to the next.
 *
 * <p>Each claim advances the raw tail of the active partition. The claim that first crosses the
 * term's end owns the rotation: it sets the raw tail of the next partition, then the active term
 * count. Both steps are conditional on the state they replace, so the owner and an unblocker may
 * take them concurrently, and either may be late.
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
        // If the log rotates during the call, the raw tail's own term id still identifies its term.
        long rawTail = metadata.getLongAcquire(offset(count));
        if (LogLayout.tailOffset(rawTail) > spec.termLength()) {
            // The next term may have claims before it is active, made by late claimers of the term
            // that previously occupied its partition.
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
     * Returns whether a claim has crossed the end of the active term and the next term is not
     * active yet. True briefly in every rotation. Thread-safe.
     *
     * @param log log to examine.
     */
    public static boolean isRotating(LogBuffers log) {
        return fullTerm(log) >= 0;
    }

    /**
     * Finds the term whose rotation is not finished. Thread-safe.
     *
     * @param log log to examine.
     * @return count of the term that is full and active, or -1. Rotate from this count: the log may
     *     rotate in the meantime, and the new active term is not full.
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
     * Makes the term after the given one active, unless it already is. Thread-safe.
     *
     * @param metadata metadata of the log.
     * @param initialTermId initial term id of the log.
     * @param termCount count of the full term, not the last.
     */
    static void rotate(UnsafeBuffer metadata, int initialTermId, int termCount) {
        int nextCount = termCount + 1;
        int nextTermId = initialTermId + nextCount;
        int next = offset(nextCount);
        long rawTail = metadata.getLongAcquire(next);
        // Late claimers of the term that previously occupied this partition may still add to it,
        // once each.
        while (LogLayout.termId(rawTail) == nextTermId - LogLayout.PARTITIONS
                && !metadata.compareAndSetLong(next, rawTail, LogLayout.rawTail(nextTermId, 0))) {
            rawTail = metadata.getLongAcquire(next);
        }
        metadata.compareAndSetInt(LogLayout.ACTIVE_TERM_COUNT, termCount, nextCount);
    }
}
