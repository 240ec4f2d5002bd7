// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * The round trips of a run that took longer than a threshold, when each was due and how long it
 * took. Written by the measuring thread, into memory that is there beforehand; read after the run.
 */
final class Outliers {
    /** JVM option {@code -D}: microseconds from which on round trips are kept one by one. */
    static final String THRESHOLD_PROPERTY = "verbus.perf.outlierUs";

    private static final int CAPACITY = 200_000;
    private static final long NS_PER_US = 1000;

    private final long thresholdNs;
    private final long[] dueNs;
    private final long[] latencyNs;
    private int count;
    private long dropped;

    private Outliers(long thresholdNs, int capacity) {
        this.thresholdNs = thresholdNs;
        dueNs = new long[capacity];
        latencyNs = new long[capacity];
    }

    /** As the JVM was told to keep them. */
    static Outliers fromProperty() {
        Long thresholdUs = Long.getLong(THRESHOLD_PROPERTY);
        return thresholdUs == null
                ? new Outliers(Long.MAX_VALUE, 0)
                : new Outliers(thresholdUs * NS_PER_US, CAPACITY);
    }

    /** Takes a round trip. */
    void take(long due, long latency) {
        if (latency > thresholdNs) {
            keep(due, latency);
        }
    }

    private void keep(long due, long latency) {
        if (count == dueNs.length) {
            dropped++;
            return;
        }
        dueNs[count] = due;
        latencyNs[count] = latency;
        count++;
    }

    /** Tells each, and forgets them. */
    void tell(Orders orders) {
        for (int i = 0; i < count; i++) {
            orders.say(Worker.OUTLIER, dueNs[i] + " " + latencyNs[i]);
        }
        if (dropped > 0) {
            System.err.println(dropped + " outliers more were too many to keep");
        }
        count = 0;
        dropped = 0;
    }
}
