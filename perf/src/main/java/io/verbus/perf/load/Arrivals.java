// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts the messages that one subscription receives from a stream, and checks that each
 * publisher's messages arrive once and in order. Written by one thread; {@link #shown()} is
 * thread-safe.
 */
public final class Arrivals {
    private static final int SEQUENCE_BITS = 48;
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(Arrivals.class, "count", long.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final long[] expected;
    private long count;
    private long bytes;
    private IllegalStateException failure; // a bus may swallow handler exceptions

    /**
     * @param publishers number of publishers.
     */
    public Arrivals(int publishers) {
        expected = new long[publishers];
        for (int i = 0; i < publishers; i++) {
            expected[i] = tag(i, 0);
        }
    }

    /**
     * Returns the first word of a message: the publisher's number from 0, and the message's
     * sequence.
     */
    public static long tag(int publisher, long sequence) {
        return ((long) publisher << SEQUENCE_BITS) + sequence;
    }

    /** Counts a message, and checks its sequence. */
    public void onMessage(long tag, int length) {
        int publisher = (int) (tag >>> SEQUENCE_BITS);
        if (publisher >= expected.length || expected[publisher] != tag) {
            fail(tag, publisher);
        }
        expected[publisher] = tag + 1;
        bytes += length;
        COUNT.setOpaque(this, count + 1);
    }

    /** Counts messages without checking them. */
    public void onMessages(long number, int length) {
        bytes += number * length;
        COUNT.setOpaque(this, count + number);
    }

    private void fail(long tag, int publisher) {
        failure =
                new IllegalStateException(
                        "message "
                                + Long.toHexString(tag)
                                + " arrived"
                                + (publisher < expected.length
                                        ? " instead of " + Long.toHexString(expected[publisher])
                                        : ", but it is from an unknown publisher"));
        throw failure;
    }

    /** Returns the number of messages so far. Called only by the receiving thread. */
    long count() {
        if (failure != null) {
            throw failure;
        }
        return count;
    }

    /** Returns the number of bytes so far. Called only by the receiving thread. */
    long bytes() {
        return bytes;
    }

    /** Returns the number of messages so far. Thread-safe. */
    public long shown() {
        return (long) COUNT.getOpaque(this);
    }
}
