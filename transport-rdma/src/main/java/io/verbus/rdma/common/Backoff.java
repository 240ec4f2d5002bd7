// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/** How long to wait with what has failed before: each time twice as long. Used by one thread. */
public final class Backoff {
    private final long firstNs;
    private final long lastNs;
    private long nextNs;

    /**
     * @param firstNs nanoseconds to wait the first time.
     * @param lastNs nanoseconds to wait at most.
     */
    public Backoff(long firstNs, long lastNs) {
        this.firstNs = firstNs;
        this.lastNs = lastNs;
        nextNs = firstNs;
    }

    /** Nanoseconds to wait this time. */
    public long next() {
        long waitNs = nextNs;
        nextNs = Math.min(2 * nextNs, lastNs);
        return waitNs;
    }

    /** It has not failed: the next wait is the first again. */
    public void reset() {
        nextNs = firstNs;
    }
}
