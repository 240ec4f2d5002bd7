// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.TransportHost;

import org.agrona.CloseHelper;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** Counters of one side of the transport, freed together. Used by the conductor's thread. */
abstract class CounterSet implements AutoCloseable {
    private final TransportHost host;
    private final List<AtomicCounter> counters = new ArrayList<>();

    CounterSet(TransportHost host) {
        this.host = host;
    }

    final AtomicCounter counter(TransportCounter which) {
        AtomicCounter counter = host.counter(which);
        counters.add(counter);
        return counter;
    }

    /** Returns a counter of the whole driver, which this set does not free. */
    final AtomicCounter counter(SystemCounter counter) {
        return host.counter(counter);
    }

    @Override
    public final void close() {
        CloseHelper.closeAll(counters);
    }
}
