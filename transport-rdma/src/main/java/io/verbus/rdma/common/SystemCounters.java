// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** Counters of the whole transport. Used by the conductor's thread. */
public final class SystemCounters implements AutoCloseable {
    private final TransportHost host;
    private final List<AtomicCounter> all = new ArrayList<>();

    /**
     * @param host driver that keeps the counters.
     */
    public SystemCounters(TransportHost host) {
        this.host = host;
    }

    /**
     * Allocates a counter.
     *
     * @throws io.verbus.BusException if no counter is left.
     */
    public AtomicCounter counter(TransportCounter which) {
        AtomicCounter counter = host.counter(which);
        all.add(counter);
        return counter;
    }

    @Override
    public void close() {
        all.forEach(AtomicCounter::close);
        all.clear();
    }
}
