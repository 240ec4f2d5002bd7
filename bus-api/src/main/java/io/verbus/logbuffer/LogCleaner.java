// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Zeroes a publication's log behind the consumed position, so that wherever a frame may begin next
 * time round there is a zero word. One thread cleans; any thread may ask how far. The log of an
 * {@link ExclusiveAppender} needs none of it: see {@link #isNeeded}.
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
     * Written by the cleaning thread after the zeroes, read by the thread that computes the limit.
     */
    private volatile long cleaned;

    /**
     * @param log of the publication, new or clean ahead of the position.
     * @param position of the log's tail now.
     */
    public LogCleaner(LogBuffers log, long position) {
        this.log = log;
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        isExclusive = log.spec().type() == LogType.EXCLUSIVE_PUBLICATION;
        cleaned = position;
    }

    /**
     * Whether the log is to be cleaned: not where its one writer zeroes ahead. Its writer says so
     * before its first frame. Any thread.
     */
    public boolean isNeeded() {
        return !isExclusive || log.metadata().getIntAcquire(LogLayout.ZEROES_AHEAD) != 1;
    }

    /**
     * Cleans a step, or passes over it where that is not needed. The cleaning thread's.
     *
     * @param consumed position that every consumer, and the sender, has passed.
     * @param maxBytes to zero in this step.
     * @return how many bytes were zeroed.
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

    /** Position up to which the log has been cleaned. Any thread. */
    public long cleaned() {
        return cleaned;
    }

    /**
     * Position up to which the log may be appended to. Any thread; to be published with release.
     *
     * @param consumed position that every consumer has passed.
     * @param window in bytes past it, two terms at most.
     */
    public long limit(long consumed, long window) {
        return isNeeded()
                ? Math.min(consumed + window, cleaned + 2L * termLength)
                : consumed + window;
    }
}
