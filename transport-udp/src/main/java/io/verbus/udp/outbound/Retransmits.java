// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.util.Arrays;

/**
 * The ranges of a stream that receivers miss. A range is sent again once, and then not for as long
 * as it lingers, however often it is asked for. There is always room for one more: where the table
 * is full, the two ranges that are closest become one, and what lies between them is sent again
 * too. So what NAKs can cause is bounded by what is unconsumed, twice a linger time, and none keeps
 * another out. Sender's thread.
 */
final class Retransmits {
    private final int capacity;
    private final long lingerNs;

    /** One more than the capacity: a new range is taken in before two become one. */
    private final long[] begins;

    private final long[] ends;

    /** Positions up to which the ranges have been sent again. */
    private final long[] sent;

    /** Positions up to which they are to be: the end, but where that was sent before. */
    private final long[] wanted;

    private final long[] expiries;
    private int count;

    /**
     * @param capacity ranges that there is room for, one at least.
     * @param lingerNs time for which a range is not sent once more.
     */
    Retransmits(int capacity, long lingerNs) {
        this.capacity = capacity;
        this.lingerNs = lingerNs;
        begins = new long[capacity + 1];
        ends = new long[capacity + 1];
        sent = new long[capacity + 1];
        wanted = new long[capacity + 1];
        expiries = new long[capacity + 1];
    }

    /**
     * Takes a range in, but for what of it lingers or is waiting already.
     *
     * @return whether there is anything to send again.
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

    /** One that waits goes as far as another that begins in it, up to the next. */
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

    /** Index of a range that is to be sent again, or -1. */
    int pending() {
        for (int i = 0; i < count; i++) {
            if (isPending(i)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether anything of a range has been sent again. */
    boolean isBegun(int index) {
        return sent[index] > begins[index];
    }

    /** Position from which a range is still to be sent. */
    long next(int index) {
        return sent[index];
    }

    /** Position up to which a range is still to be sent. */
    long end(int index) {
        return wanted[index];
    }

    /**
     * A range has been sent up to a position, where a frame ends: it is done if that is where it
     * was to be sent to, or past it.
     */
    void sentTo(int index, long position) {
        sent[index] = position;
        ends[index] = Math.max(ends[index], position);
    }

    /**
     * Nothing more of a range can be sent: it lingers as far as it was, so that what another asks
     * for begins where a frame does.
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
