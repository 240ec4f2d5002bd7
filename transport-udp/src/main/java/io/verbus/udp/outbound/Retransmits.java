// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import java.util.Arrays;

/**
 * The ranges of a stream that receivers miss. A range is sent again once, and then not for as long
 * as it lingers, however often it is asked for: what NAKs can cause is bounded by what is
 * unconsumed, once a linger time. Sender's thread.
 */
final class Retransmits {
    static final int CAPACITY = 64;

    private final long lingerNs;
    private final long[] begins = new long[CAPACITY];
    private final long[] ends = new long[CAPACITY];

    /** Positions up to which the ranges have been sent again. */
    private final long[] sent = new long[CAPACITY];

    private final long[] expiries = new long[CAPACITY];
    private int count;

    Retransmits(long lingerNs) {
        this.lingerNs = lingerNs;
    }

    /**
     * Takes a range in, but for what of it lingers or is waiting already.
     *
     * @return whether there is anything to send again.
     */
    boolean add(long begin, long end, long nowNs) {
        expire(nowNs);
        if (count == CAPACITY) {
            return false;
        }
        long from = begin;
        for (int i = 0; i < count; i++) { // ordered by position, apart from each other
            if (begins[i] <= from && from < ends[i]) {
                from = ends[i];
            }
        }
        long to = end;
        int at = 0;
        for (int i = 0; i < count; i++) {
            if (begins[i] >= from) {
                to = Math.min(to, begins[i]);
            } else {
                at = i + 1;
            }
        }
        if (from >= to) {
            return false;
        }
        move(at, at + 1, count - at);
        begins[at] = from;
        ends[at] = to;
        sent[at] = from;
        expiries[at] = nowNs + lingerNs;
        count++;
        return true;
    }

    private void expire(long nowNs) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (sent[i] < ends[i] || nowNs - expiries[i] < 0) {
                move(i, kept++, 1);
            }
        }
        count = kept;
    }

    private void move(int from, int to, int length) {
        System.arraycopy(begins, from, begins, to, length);
        System.arraycopy(ends, from, ends, to, length);
        System.arraycopy(sent, from, sent, to, length);
        System.arraycopy(expiries, from, expiries, to, length);
    }

    /** Index of a range that is to be sent again, or -1. */
    int pending() {
        for (int i = 0; i < count; i++) {
            if (sent[i] < ends[i]) {
                return i;
            }
        }
        return -1;
    }

    /** Position from which a range is still to be sent. */
    long next(int index) {
        return sent[index];
    }

    /** Position at which a range ends. */
    long end(int index) {
        return ends[index];
    }

    /** A range has been sent up to a position: it is done if that is its end. */
    void sentTo(int index, long position) {
        sent[index] = position;
    }

    @Override
    public String toString() {
        return "begins " + Arrays.toString(begins) + " ends " + Arrays.toString(ends);
    }
}
