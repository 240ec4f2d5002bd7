// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts what one subscription receives of a stream, and checks that each publisher's messages
 * arrive once and in order. One thread writes it; {@link #shown()} may be read by others.
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
    private IllegalStateException failure; // kept, as a bus may swallow what its handlers throw

    /**
     * @param publishers number of publishers.
     */
    public Arrivals(int publishers) {
        expected = new long[publishers];
        for (int i = 0; i < publishers; i++) {
            expected[i] = tag(i, 0);
        }
    }

    /** What a message begins with: its publisher's number from 0, and its own. */
    public static long tag(int publisher, long sequence) {
        return ((long) publisher << SEQUENCE_BITS) + sequence;
    }

    /** Takes a message. */
    public void onMessage(long tag, int length) {
        int publisher = (int) (tag >>> SEQUENCE_BITS);
        if (publisher >= expected.length || expected[publisher] != tag) {
            fail(tag, publisher);
        }
        expected[publisher] = tag + 1;
        bytes += length;
        COUNT.setOpaque(this, count + 1);
    }

    /** Takes messages that are known to be whole. */
    public void onMessages(long number, int length) {
        bytes += number * length;
        COUNT.setOpaque(this, count + number);
    }

    private void fail(long tag, int publisher) {
        failure =
                new IllegalStateException(
                        "message "
                                + Long.toHexString(tag)
                                + " came where "
                                + (publisher < expected.length
                                        ? Long.toHexString(expected[publisher])
                                        : "no publisher's")
                                + " was due");
        throw failure;
    }

    /** Messages so far. The receiving thread's. */
    long count() {
        if (failure != null) {
            throw failure;
        }
        return count;
    }

    /** Bytes of the messages so far. The receiving thread's. */
    long bytes() {
        return bytes;
    }

    /** Messages so far, for any thread. */
    public long shown() {
        return (long) COUNT.getOpaque(this);
    }
}
