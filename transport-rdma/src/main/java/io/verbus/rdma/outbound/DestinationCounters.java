// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.BusException;
import io.verbus.cnc.CounterTypes;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** Counters of a destination. Written by the sender; opened and closed by the conductor. */
final class DestinationCounters implements AutoCloseable {
    final AtomicCounter sent;
    final AtomicCounter released;
    final AtomicCounter connected;
    final AtomicCounter left;

    private final List<AtomicCounter> all = new ArrayList<>();

    DestinationCounters(TransportHost host, OutboundStream stream, String name) {
        try {
            sent = counter(host, stream, CounterTypes.DESTINATION_SENT, name, "sent to");
            released =
                    counter(host, stream, CounterTypes.DESTINATION_RELEASED, name, "released by");
            connected =
                    counter(host, stream, CounterTypes.DESTINATION_CONNECTED, name, "connected to");
            left = counter(host, stream, CounterTypes.DESTINATION_LEFT, name, "drops of");
        } catch (BusException e) {
            close();
            throw e;
        }
    }

    private AtomicCounter counter(
            TransportHost host, OutboundStream stream, int typeId, String name, String what) {
        AtomicCounter counter = host.counter(stream, typeId, name, what);
        all.add(counter);
        return counter;
    }

    @Override
    public void close() {
        all.forEach(AtomicCounter::close);
        all.clear();
    }
}
