// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Collects a run's round trips that took longer than a threshold, with due time and latency. The
 * measuring thread writes them into preallocated memory; they are read after the run.
 */
final class Outliers {
    /** System property: threshold in microseconds above which to record individual round trips. */
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

    /**
     * Creates a collector with the threshold in the system property; it collects nothing if the
     * property is not set.
     */
    static Outliers fromProperty() {
        Long thresholdUs = Long.getLong(THRESHOLD_PROPERTY);
        return thresholdUs == null
                ? new Outliers(Long.MAX_VALUE, 0)
                : new Outliers(thresholdUs * NS_PER_US, CAPACITY);
    }

    /** Records a round trip if it took longer than the threshold. */
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

    /** Reports all outliers, and clears them. */
    void tell(Orders orders) {
        for (int i = 0; i < count; i++) {
            orders.say(Worker.OUTLIER, dueNs[i] + " " + latencyNs[i]);
        }
        if (dropped > 0) {
            System.err.println("dropped " + dropped + " more outliers: the buffer is full");
        }
        count = 0;
        dropped = 0;
    }
}
