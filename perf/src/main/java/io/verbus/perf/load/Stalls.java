// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Collects the stalls of a run: consecutive round trips longer than a threshold are one stall if
 * they overlap. Written by the measuring thread, into preallocated memory; read after the run.
 */
final class Stalls {
    /** System property: threshold in microseconds above which a round trip belongs to a stall. */
    static final String THRESHOLD_PROPERTY = "verbus.perf.outlierUs";

    private static final int CAPACITY = 200_000;
    private static final long NS_PER_US = 1000;

    private final long thresholdNs;
    private final long[] startNs;
    private final long[] endNs;
    private final long[] messages;

    /**
     * Number of stalls; the last stall may not be over. Stalls beyond the capacity are not kept.
     */
    private long count;

    private long openEndNs;
    private long unlistedMessages;

    Stalls(long thresholdNs, int capacity) {
        this.thresholdNs = thresholdNs;
        startNs = new long[capacity];
        endNs = new long[capacity];
        messages = new long[capacity];
    }

    /**
     * Creates a collector with the threshold of the system property; collects nothing if it is not
     * set.
     */
    static Stalls fromProperty() {
        Long thresholdUs = Long.getLong(THRESHOLD_PROPERTY);
        return thresholdUs == null
                ? new Stalls(Long.MAX_VALUE, 0)
                : new Stalls(thresholdUs * NS_PER_US, CAPACITY);
    }

    /** Records a round trip if it took longer than the threshold. Messages are due in order. */
    void take(long due, long latency) {
        if (latency > thresholdNs) {
            keep(due, due + latency);
        }
    }

    private void keep(long due, long end) {
        if (count == 0 || due - openEndNs > 0) {
            count++;
            openEndNs = end;
            if (count <= startNs.length) {
                startNs[(int) count - 1] = due;
                messages[(int) count - 1] = 0;
            }
        }
        openEndNs = Math.max(openEndNs, end);
        if (count <= startNs.length) {
            endNs[(int) count - 1] = openEndNs;
            messages[(int) count - 1]++;
        } else {
            unlistedMessages++;
        }
    }

    /** Reports all stalls, and clears them. */
    void tell(WorkerProtocol protocol) {
        int listed = (int) Math.min(count, startNs.length);
        for (int i = 0; i < listed; i++) {
            protocol.say(Worker.STALL, new Stall(startNs[i], endNs[i], messages[i]).encode());
        }
        if (count > listed) {
            protocol.say(Worker.UNLISTED, (count - listed) + " " + unlistedMessages);
        }
        count = 0;
        unlistedMessages = 0;
    }
}
