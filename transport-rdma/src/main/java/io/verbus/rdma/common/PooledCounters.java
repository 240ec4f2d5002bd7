// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/** Counters of one thing, which can count for another when that has ended. Conductor's thread. */
abstract class PooledCounters implements AutoCloseable {
    private final TransportHost host;
    private final int typeId;
    private final long registrationId;
    private final List<AtomicCounter> all = new ArrayList<>();
    private final List<String> labels = new ArrayList<>();
    private String name;

    PooledCounters(TransportHost host, int typeId, long registrationId, String name) {
        this.host = host;
        this.typeId = typeId;
        this.registrationId = registrationId;
        this.name = name;
    }

    /** Of what is counted, for people; each label begins with it. */
    final String name() {
        return name;
    }

    /** Allocates one more. */
    final AtomicCounter counter(String what) {
        AtomicCounter counter = host.counter(typeId, registrationId, name + ": " + what);
        all.add(counter);
        labels.add(what);
        return counter;
    }

    /** It is over; what was counted stays to be seen. After the agent that counted. */
    void end() {
        relabel(name + ", ended");
    }

    /** Begins to count for another. Before the agent that counts. */
    final void reuse(String newName) {
        for (AtomicCounter counter : all) {
            counter.setRelease(0);
        }
        relabel(newName);
    }

    private void relabel(String newName) {
        name = newName;
        for (int i = 0; i < all.size(); i++) {
            all.get(i).updateLabel(name + ": " + labels.get(i));
        }
    }

    @Override
    public final void close() {
        all.forEach(AtomicCounter::close);
        all.clear();
    }
}
