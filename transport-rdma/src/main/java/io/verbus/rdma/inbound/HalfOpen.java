// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.common.SystemCounters;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayDeque;

/**
 * Connections that have offered no stream yet, the oldest first. Each holds a queue pair and memory
 * for somebody of whom nothing is known, so there are few, and not for long; with one more the
 * oldest has to go, because an honest peer is done within a round trip. Conductor's thread.
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

    /** The peer has offered a stream, or is gone. */
    void remove(InboundPeer peer) {
        all.remove(peer);
    }

    /** Takes one that has to go: the oldest, if there are too many or its time is over; or null. */
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
