// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

/**
 * Finds out within bounded time that a peer does not answer: from time to time a work request is
 * signaled, a write of no bytes where there is nothing else, and must complete before the timeout.
 * Used by one agent.
 */
public final class Probe {
    private final long intervalNs;
    private final long timeoutNs;

    /** Work requests whose completion is awaited; none if it is not above what has completed. */
    private long awaited;

    private long sentNs;

    /**
     * @param intervalNs between probes.
     * @param timeoutNs within which one must complete.
     * @param nowNs time at which the connection was found well.
     */
    public Probe(long intervalNs, long timeoutNs, long nowNs) {
        this.intervalNs = intervalNs;
        this.timeoutNs = timeoutNs;
        this.sentNs = nowNs;
    }

    /** Whether the next work request posted should be signaled and awaited. */
    public boolean isDue(long nowNs, long completed) {
        return nowNs - sentNs >= intervalNs && completed >= awaited;
    }

    /** A signaled work request was posted as the last of the count. */
    public void sent(long nowNs, long count) {
        awaited = count;
        sentNs = nowNs;
    }

    /** Whether the peer has not answered in time. */
    public boolean isMissed(long nowNs, long completed) {
        return completed < awaited && nowNs - sentNs >= timeoutNs;
    }

    /** Nanoseconds within which a peer must answer. */
    public long timeoutNs() {
        return timeoutNs;
    }
}
