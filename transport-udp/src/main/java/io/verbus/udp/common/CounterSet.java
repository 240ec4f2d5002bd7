// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TransportHost;

import org.agrona.CloseHelper;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** Counters of one side of the transport, which live and end together. Conductor's thread. */
abstract class CounterSet implements AutoCloseable {
    private final TransportHost host;
    private final List<AtomicCounter> counters = new ArrayList<>();

    CounterSet(TransportHost host) {
        this.host = host;
    }

    final AtomicCounter counter(String what) {
        AtomicCounter counter = host.counter(CounterTypes.DRIVER, 0, "udp: " + what);
        counters.add(counter);
        return counter;
    }

    /** One of the driver as a whole, which stays. */
    final AtomicCounter counter(SystemCounter counter) {
        return host.counter(counter);
    }

    @Override
    public final void close() {
        CloseHelper.closeAll(counters);
    }
}
