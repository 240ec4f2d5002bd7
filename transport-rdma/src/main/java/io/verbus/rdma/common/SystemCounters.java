// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.CounterTypes;
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
     * @param what it counts, for people.
     * @throws io.verbus.BusException if there is none left.
     */
    public AtomicCounter counter(String what) {
        AtomicCounter counter = host.counter(CounterTypes.DRIVER, 0, "rdma: " + what);
        all.add(counter);
        return counter;
    }

    @Override
    public void close() {
        all.forEach(AtomicCounter::close);
        all.clear();
    }
}
