// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.QueuePair;

/**
 * A probe that also determines when writes are in place at a peer whose adapter may place a later
 * write before an earlier one: a question follows all writes. One question is open at a time, and
 * its answer covers everything staged before it. Used by one agent.
 *
 * <p>On InfiniBand and RoCE the question is an empty write: the peer's adapter acknowledges it once
 * it has all earlier packets, and later writes reach memory later. Over iWARP it is a message,
 * which is delivered after all earlier writes (RFC 5040, 5.5).
 */
public final class PlacementProbe extends Probe {
    private final QueuePair queuePair;

    /** Number of questions asked. */
    private long asked;

    /** Whether anything was staged since the last question. */
    private boolean isOwed;

    /** Whether a probe counts as a question: without room it may not cover everything staged. */
    private boolean hasRoom;

    /**
     * @param queuePair queue pair of the connection.
     * @param intervalNs interval between probes while nothing is written.
     * @param timeoutNs time within which a probe must be answered.
     * @param nowNs time at which the connection was known to work.
     */
    public PlacementProbe(QueuePair queuePair, long intervalNs, long timeoutNs, long nowNs) {
        super(intervalNs, timeoutNs, nowNs);
        this.queuePair = queuePair;
    }

    /**
     * Requests a question about everything staged so far.
     *
     * @return number of the question, for {@link #isInPlace}.
     */
    public long cover() {
        isOwed = true;
        return asked + 1;
    }

    /**
     * Returns whether a question has been answered, which means that everything staged before it is
     * in place.
     */
    public boolean isInPlace(long question) {
        return question < asked || question == asked && isAnswered(queuePair.answered());
    }

    @Override
    public boolean isDue(long nowNs, long answered) {
        hasRoom = queuePair.free() > 0;
        return isOwed && hasRoom && isAnswered(answered) || super.isDue(nowNs, answered);
    }

    @Override
    public void sent(long nowNs, long count) {
        super.sent(nowNs, count);
        if (hasRoom) {
            asked++;
            isOwed = false;
        }
    }
}
