// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where a log's appenders stand, and the step from one term to the next.
 *
 * <p>The raw tail of the active partition is advanced by each claim. The claim that first goes past
 * the term's end owns the rotation: the raw tail of the next partition is set, then the active term
 * count. Both steps are conditional on the state they replace, so that the owner and an unblocker
 * may take them at once, and may each be late.
 */
public final class LogTail {
    private LogTail() {}

    /**
     * Position up to which the log has been claimed. Any thread.
     *
     * @param log to look at.
     */
    public static long position(LogBuffers log) {
        UnsafeBuffer metadata = log.metadata();
        LogSpec spec = log.spec();
        int count = metadata.getIntAcquire(LogLayout.ACTIVE_TERM_COUNT);
        // If the log rotates meanwhile, the raw tail's own term id still tells where it is.
        long rawTail = metadata.getLongAcquire(offset(count));
        if (LogLayout.tailOffset(rawTail) > spec.termLength()) {
            // The next term may have claims before it is active: those of late claimers of the term
            // that lay there before.
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
     * Whether a claim went past the end of the active term and the next one is not active yet. Any
     * thread; true for a moment in every rotation.
     *
     * @param log to look at.
     */
    public static boolean isRotating(LogBuffers log) {
        return fullTerm(log) >= 0;
    }

    /**
     * Finds the term whose rotation is not finished. Any thread.
     *
     * @param log to look at.
     * @return count of the term that is full and active, or -1. To rotate, use this count: the log
     *     may be rotated meanwhile, and the active term is then another, which is not full.
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

    /** Offset in the metadata of the raw tail of a term. */
    static int offset(int termCount) {
        return LogLayout.RAW_TAILS + LogLayout.partition(termCount) * Long.BYTES;
    }

    /**
     * Makes the term after the given one active, unless that is done. Any thread.
     *
     * @param metadata of the log.
     * @param initialTermId of the log.
     * @param termCount of the term that is full, not the last.
     */
    static void rotate(UnsafeBuffer metadata, int initialTermId, int termCount) {
        int nextCount = termCount + 1;
        int nextTermId = initialTermId + nextCount;
        int next = offset(nextCount);
        long rawTail = metadata.getLongAcquire(next);
        // Late claimers of the term that lay here before may still add to it, each once.
        while (LogLayout.termId(rawTail) == nextTermId - LogLayout.PARTITIONS
                && !metadata.compareAndSetLong(next, rawTail, LogLayout.rawTail(nextTermId, 0))) {
            rawTail = metadata.getLongAcquire(next);
        }
        metadata.compareAndSetInt(LogLayout.ACTIVE_TERM_COUNT, termCount, nextCount);
    }
}
