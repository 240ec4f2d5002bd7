// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.common.SystemCounters;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayDeque;

/**
 * Connections that have not offered a stream yet, oldest first. Each holds a queue pair and memory
 * for an unknown peer, so their number and time are limited. At the limit the oldest connection is
 * closed, because an honest peer offers a stream within a round trip. Used by the conductor's
 * thread.
 */
final class HalfOpen {
    private final int capacity;
    private final AtomicCounter givenUp;
    private final ArrayDeque<InboundPeer> all = new ArrayDeque<>();

    HalfOpen(SystemCounters counters, int capacity) {
        this.capacity = capacity;
        givenUp = counters.counter(TransportCounter.RDMA_HALF_OPEN);
    }

    void add(InboundPeer peer) {
        all.add(peer);
    }

    /** Removes a peer that has offered a stream or is gone. */
    void remove(InboundPeer peer) {
        all.remove(peer);
    }

    /**
     * Removes and returns the oldest peer if there are too many peers or its time is over;
     * otherwise returns null.
     */
    InboundPeer takeOverdue(long nowNs) {
        InboundPeer oldest = all.peek();
        if (oldest == null || all.size() <= capacity && nowNs - oldest.deadlineNs < 0) {
            return null;
        }
        all.remove();
        givenUp.incrementRelease();
        return oldest;
    }
}
