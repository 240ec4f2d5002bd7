// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * Exponential backoff: doubles the wait after each failure, up to a maximum. Used by one thread.
 */
public final class Backoff {
    private final long firstNs;
    private final long lastNs;
    private long nextNs;

    /**
     * @param firstNs first wait in nanoseconds.
     * @param lastNs longest wait in nanoseconds.
     */
    public Backoff(long firstNs, long lastNs) {
        this.firstNs = firstNs;
        this.lastNs = lastNs;
        nextNs = firstNs;
    }

    /** Returns the next wait in nanoseconds. */
    public long next() {
        long waitNs = nextNs;
        nextNs = Math.min(2 * nextNs, lastNs);
        return waitNs;
    }

    /** Starts over with the first wait, after a success. */
    public void reset() {
        nextNs = firstNs;
    }
}
