// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.util.Arrays;

/**
 * Missing ranges of a stream. A range is retransmitted once, and then not again during its linger
 * time, however often it is requested. There is always room for another range: if the table is
 * full, the two closest ranges are merged, and the data between them is retransmitted as well. Thus
 * NAKs can cause at most two retransmissions of all unconsumed data per linger time, and no range
 * excludes another. Used by the sender's thread only.
 */
final class MissingRanges {
    private final int capacity;
    private final long lingerNs;

    /** One more than the capacity: a new range is inserted before two ranges are merged. */
    private final long[] begins;

    private final long[] ends;

    /** Positions up to which the ranges have been retransmitted. */
    private final long[] sent;

    /**
     * Positions up to which to retransmit: the end of the range, or less if the rest was sent
     * before.
     */
    private final long[] wanted;

    private final long[] expiries;
    private int count;

    /**
     * @param capacity maximum number of ranges, at least one.
     * @param lingerNs time during which a range is not retransmitted again.
     */
    MissingRanges(int capacity, long lingerNs) {
        this.capacity = capacity;
        this.lingerNs = lingerNs;
        begins = new long[capacity + 1];
        ends = new long[capacity + 1];
        sent = new long[capacity + 1];
        wanted = new long[capacity + 1];
        expiries = new long[capacity + 1];
    }

    /**
     * Adds the part of a range that is neither lingering nor pending already.
     *
     * @return whether there is anything to retransmit.
     */
    boolean add(long begin, long end, long nowNs) {
        expire(nowNs);
        long from = begin;
        for (int i = 0; i < count; i++) { // ordered by position
            if (begins[i] <= from && from < ends[i]) {
                if (isPending(i) && wanted[i] == ends[i]) {
                    return extend(i, end);
                }
                from = ends[i];
            }
        }
        long to = end;
        for (int i = count - 1; i >= 0 && begins[i] >= from; i--) {
            to = Math.min(to, begins[i]);
        }
        if (from >= to) {
            return false;
        }
        insert(from, to, nowNs);
        if (count > capacity) {
            joinClosest();
        }
        return true;
    }

    /**
     * Extends a pending range to the end of an overlapping one, but at most to the next range.
     * Returns whether the range has grown.
     */
    private boolean extend(int index, long end) {
        long to = index + 1 < count ? Math.min(end, begins[index + 1]) : end;
        if (to <= ends[index]) {
            return false;
        }
        ends[index] = to;
        wanted[index] = to;
        return true;
    }

    private void insert(long from, long to, long nowNs) {
        int at = count;
        while (at > 0 && begins[at - 1] > from) {
            at--;
        }
        move(at, at + 1, count - at);
        begins[at] = from;
        ends[at] = to;
        sent[at] = from;
        wanted[at] = to;
        expiries[at] = nowNs + lingerNs;
        count++;
    }

    private void joinClosest() {
        int first = 0;
        for (int i = 1; i < count - 1; i++) {
            if (begins[i + 1] - ends[i] < begins[first + 1] - ends[first]) {
                first = i;
            }
        }
        int second = first + 1;
        if (!isPending(first)) {
            sent[first] = ends[first];
        }
        wanted[first] = isPending(second) ? wanted[second] : begins[second];
        ends[first] = Math.max(ends[first], ends[second]);
        expiries[first] = Math.min(expiries[first], expiries[second]);
        move(second + 1, second, count - second - 1);
        count--;
    }

    private boolean isPending(int index) {
        return sent[index] < wanted[index];
    }

    private void expire(long nowNs) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            boolean lingers = begins[i] < ends[i] && nowNs - expiries[i] < 0;
            if (isPending(i) || lingers) {
                move(i, kept++, 1);
            }
        }
        count = kept;
    }

    private void move(int from, int to, int length) {
        System.arraycopy(begins, from, begins, to, length);
        System.arraycopy(ends, from, ends, to, length);
        System.arraycopy(sent, from, sent, to, length);
        System.arraycopy(wanted, from, wanted, to, length);
        System.arraycopy(expiries, from, expiries, to, length);
    }

    /** Returns the index of a range to retransmit, or -1. */
    int pending() {
        for (int i = 0; i < count; i++) {
            if (isPending(i)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns whether retransmission of a range has started. */
    boolean isBegun(int index) {
        return sent[index] > begins[index];
    }

    /** Returns the position from which to retransmit a range. */
    long next(int index) {
        return sent[index];
    }

    /** Returns the position up to which to retransmit a range. */
    long end(int index) {
        return wanted[index];
    }

    /**
     * Records that a range was retransmitted up to a position at which a frame ends; the range is
     * done if that is at or beyond its end.
     */
    void sentTo(int index, long position) {
        sent[index] = position;
        ends[index] = Math.max(ends[index], position);
    }

    /**
     * Truncates a range that cannot be retransmitted further. Only the retransmitted part lingers,
     * so that a later request starts at a frame boundary.
     */
    void cut(int index) {
        ends[index] = sent[index];
        wanted[index] = sent[index];
    }

    @Override
    public String toString() {
        return "begins " + Arrays.toString(begins) + " ends " + Arrays.toString(ends);
    }
}
