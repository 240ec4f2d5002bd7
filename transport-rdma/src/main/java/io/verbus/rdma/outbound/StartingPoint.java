// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

/**
 * Position at which a destination starts under flow control {@code max}: the last known frame
 * boundary that the fastest destination has released. A new destination therefore receives
 * everything that the fastest destination has not consumed yet, and can take over if that
 * destination fails.
 *
 * <p>Released positions are reported by peers, so there may be no frame that begins there.
 * Boundaries are ends of batches, about an eighth of a term apart. Batches are no longer than an
 * eighth of a term, so the starting point is at most a little more than a quarter of a term behind
 * the released position, which the log still holds.
 *
 * <pre>
 *   position      boundaries, sent but not released
 *  ----+--------------+-------+---------+-------
 *      |◀─ released ──┼─▶     |         |
 * </pre>
 *
 * <p>Used by the sender's thread; does not allocate.
 */
final class StartingPoint {
    /** Sufficient for two terms, the maximum that can be sent but not released. */
    private static final int CAPACITY = 32;

    private final long spacing;
    private final long[] boundaries = new long[CAPACITY];
    private int first;
    private int count;
    private long last;
    private long position;

    /**
     * @param position position of the publication, at which a frame begins.
     * @param termLength term length of its log.
     */
    StartingPoint(long position, int termLength) {
        this.position = position;
        last = position;
        spacing = termLength / 8;
    }

    /** Returns the maximum length of a batch in bytes. */
    int maxBatch() {
        return (int) spacing;
    }

    /** Records the end of a batch. */
    void sent(long boundary) {
        if (boundary - last >= spacing && count < CAPACITY) {
            boundaries[first + count & CAPACITY - 1] = boundary;
            count++;
            last = boundary;
        }
    }

    /** Advances to the last boundary that the fastest destination has released. */
    void released(long base) {
        while (count > 0 && boundaries[first] <= base) {
            position = boundaries[first];
            first = first + 1 & CAPACITY - 1;
            count--;
        }
    }

    /** Restarts at a boundary. */
    void restart(long boundary) {
        position = boundary;
        last = boundary;
        count = 0;
    }

    long position() {
        return position;
    }
}
