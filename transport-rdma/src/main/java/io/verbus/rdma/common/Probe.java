// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * Detects within bounded time that a peer does not answer: the peer is probed periodically, and
 * must answer before the timeout. Used by one agent.
 */
public class Probe {
    private final long intervalNs;
    private final long timeoutNs;

    /**
     * Number of work requests that the awaited answer covers; at most the answered number if no
     * answer is awaited.
     */
    private long awaited;

    private long sentNs;

    /**
     * @param intervalNs interval between probes.
     * @param timeoutNs time within which a probe must be answered.
     * @param nowNs time at which the connection was known to work.
     */
    public Probe(long intervalNs, long timeoutNs, long nowNs) {
        this.intervalNs = intervalNs;
        this.timeoutNs = timeoutNs;
        this.sentNs = nowNs;
    }

    /** Returns whether a probe is due. */
    public boolean isDue(long nowNs, long answered) {
        return nowNs - sentNs >= intervalNs && isAnswered(answered);
    }

    /** Returns whether the peer has answered all probes. */
    final boolean isAnswered(long answered) {
        return answered >= awaited;
    }

    /** Records a probe, which is answered with the given count of work requests. */
    public void sent(long nowNs, long count) {
        awaited = count;
        sentNs = nowNs;
    }

    /** Returns whether the peer has not answered in time. */
    public boolean isMissed(long nowNs, long answered) {
        return answered < awaited && nowNs - sentNs >= timeoutNs;
    }

    /** Returns the error message for a peer that has not answered in time. */
    public String missed() {
        return "the peer has not answered a probe for "
                + timeoutNs / 1_000_000
                + " ms: the peer or the network is down";
    }
}
