// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** Counters of the transport as a whole, for operators. Conductor's thread. */
public final class SystemCounters implements AutoCloseable {
    private final TransportHost host;
    private final List<AtomicCounter> all = new ArrayList<>();

    /**
     * @param host that keeps them.
     */
    public SystemCounters(TransportHost host) {
        this.host = host;
    }

    /**
     * Allocates one more.
     *
     * @throws io.verbus.BusException if there is none left.
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
