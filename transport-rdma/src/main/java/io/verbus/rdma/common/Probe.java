// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * Finds out within bounded time that a peer does not answer: from time to time it is asked, and
 * must answer before the timeout. Used by one agent.
 */
public class Probe {
    private final long intervalNs;
    private final long timeoutNs;

    /** Work requests whose answer is awaited; none if it is not above what was answered. */
    private long awaited;

    private long sentNs;

    /**
     * @param intervalNs between probes.
     * @param timeoutNs within which one must be answered.
     * @param nowNs time at which the connection was found well.
     */
    public Probe(long intervalNs, long timeoutNs, long nowNs) {
        this.intervalNs = intervalNs;
        this.timeoutNs = timeoutNs;
        this.sentNs = nowNs;
    }

    /** Whether the peer should be asked. */
    public boolean isDue(long nowNs, long answered) {
        return nowNs - sentNs >= intervalNs && isAnswered(answered);
    }

    /** Whether the peer has answered all that it was asked. */
    final boolean isAnswered(long answered) {
        return answered >= awaited;
    }

    /** The peer is asked: the count of work requests is answered with it. */
    public void sent(long nowNs, long count) {
        awaited = count;
        sentNs = nowNs;
    }

    /** Whether the peer has not answered in time. */
    public boolean isMissed(long nowNs, long answered) {
        return answered < awaited && nowNs - sentNs >= timeoutNs;
    }

    /** What is said of a peer that has not answered in time. */
    public String missed() {
        return "the peer has not answered a probe for "
                + timeoutNs / 1_000_000
                + " ms: it is gone, or the network between is";
    }
}
