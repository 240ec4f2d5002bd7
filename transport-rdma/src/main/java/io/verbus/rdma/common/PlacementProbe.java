// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.QueuePair;

/**
 * Finds out besides when writes are in place at a peer whose adapter may place a later one before
 * an earlier one: whenever something was written, the peer is asked behind it. One question is open
 * at a time, and its answer covers all that was staged before it. Used by one agent.
 *
 * <p>On InfiniBand and RoCE the question is a write of no bytes: the peer's adapter acknowledges it
 * when it has all packets before it, and what is written afterwards reaches memory later. Over
 * iWARP it is a message, which is delivered behind all writes before it (RFC 5040, 5.5).
 */
public final class PlacementProbe extends Probe {
    private final QueuePair queuePair;

    /** Questions asked so far. */
    private long asked;

    /** Something was staged since the last question. */
    private boolean isOwed;

    /** Without room a probe takes the place of no question: it may cover less than is staged. */
    private boolean hasRoom;

    /**
     * @param queuePair of the connection.
     * @param intervalNs between probes where nothing is written.
     * @param timeoutNs within which one must be answered.
     * @param nowNs time at which the connection was found well.
     */
    public PlacementProbe(QueuePair queuePair, long intervalNs, long timeoutNs, long nowNs) {
        super(intervalNs, timeoutNs, nowNs);
        this.queuePair = queuePair;
    }

    /**
     * Asks about all that is staged by now.
     *
     * @return number of the question, for {@link #isInPlace}.
     */
    public long cover() {
        isOwed = true;
        return asked + 1;
    }

    /** Whether a question is answered: what was staged before it is in place. */
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
