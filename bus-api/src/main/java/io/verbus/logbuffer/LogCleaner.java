// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Zeroes the consumed part of a publication's log, so that every possible frame start is a zero
 * word in the next lap. A single thread cleans the log; any thread may read how far the log is
 * clean. The log of an {@link ExclusiveAppender} needs no cleaning; see {@link #isNeeded}.
 *
 * <pre>
 *    cleaned          consumed          tail        limit                 cleaned + 3 terms
 *  -----+-----------------+---------------+-----------+------------------------+
 *       |   to be zeroed  |   unconsumed  |   zero    |  zero, for overshoot   |
 *  -----+-----------------+---------------+-----------+------------------------+
 * </pre>
 */
public final class LogCleaner {
    private final LogBuffers log;
    private final int termLength;
    private final int bitsToShift;
    private final boolean isExclusive;

    /**
     * Written by the cleaning thread after the zeroes; read by the thread that computes the limit.
     */
    private volatile long cleaned;

    /**
     * @param log log of the publication, which is new, or clean from the position onwards.
     * @param position current position of the log's tail.
     */
    public LogCleaner(LogBuffers log, long position) {
        this.log = log;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        isExclusive = log.spec().type() == LogType.EXCLUSIVE_PUBLICATION;
        cleaned = position;
    }

    /**
     * Returns how many bytes before the publication limit a log can keep for receivers that are
     * behind: two terms less a quarter, so that the log can be cleaned while publishers continue.
     */
    public static long retainable(int termLength) {
        return 2L * termLength - termLength / 4;
    }

    /**
     * Returns whether the log needs cleaning. A log needs no cleaning if its only writer zeroes
     * ahead, which the writer announces in the metadata before its first frame. Thread-safe.
     */
    public boolean isNeeded() {
        return !isExclusive || log.metadata().getIntAcquire(LogLayout.ZEROES_AHEAD) != 1;
    }

    /**
     * Runs one step of cleaning, or skips the step if the log needs no cleaning. Called on the
     * cleaning thread only.
     *
     * @param consumed position that every consumer and the sender have passed.
     * @param maxBytes maximum number of bytes to zero in this step.
     * @return number of bytes zeroed.
     */
    public int clean(long consumed, int maxBytes) {
        long from = cleaned;
        int offset = LogLayout.termOffset(from, termLength);
        int length = (int) Math.min(consumed - from, Math.min(maxBytes, termLength - offset));
        if (length <= 0) {
            return 0;
        }
        if (!isNeeded()) {
            cleaned = consumed;
            return 0;
        }
        UnsafeBuffer term = log.term(LogLayout.partition(from, bitsToShift));
        term.setMemory(offset, length, (byte) 0);
        cleaned = from + length;
        return length;
    }

    /** Returns the position up to which the log is clean. Thread-safe. */
    public long cleaned() {
        return cleaned;
    }

    /**
     * Returns the publisher limit, to be published with release. Thread-safe.
     *
     * @param consumed position that every consumer has passed.
     * @param window number of bytes that may be appended past the consumed position, at most two
     *     terms.
     */
    public long limit(long consumed, long window) {
        return isNeeded()
                ? Math.min(consumed + window, cleaned + 2L * termLength)
                : consumed + window;
    }
}
