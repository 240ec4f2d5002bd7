// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Counters of one connection or image, which can be reused after it has ended. Used by the
 * conductor's thread.
 */
abstract class PooledCounters implements AutoCloseable {
    private final TransportHost host;
    private final List<AtomicCounter> all = new ArrayList<>();
    private final List<ConnectionCounter> kinds = new ArrayList<>();
    private String name;
    private ConnectionKey key;

    PooledCounters(TransportHost host, String name, ConnectionKey key) {
        this.host = host;
        this.name = name;
        this.key = key;
    }

    /** Returns the name with which each label begins. */
    final String name() {
        return name;
    }

    /**
     * Allocates a counter. The id of the first counter is the registration id of all the counters.
     */
    final AtomicCounter counter(ConnectionCounter kind) {
        AtomicCounter counter = host.counter(kind, key, name + ": " + kind.label());
        all.add(counter);
        kinds.add(kind);
        if (all.size() == 1) {
            rekey(key);
        }
        return counter;
    }

    /**
     * Marks the counters ended; their values remain visible. Called after the agent has stopped
     * counting.
     */
    void end() {
        relabel(name + ", ended");
    }

    /**
     * Reuses the counters for another connection or image. Called before the agent starts counting.
     */
    final void reuse(String newName, ConnectionKey newKey) {
        for (AtomicCounter counter : all) {
            counter.setRelease(0);
        }
        rekey(newKey);
        relabel(newName);
    }

    /** Sets the local device in the keys. */
    public final void on(String device) {
        if (!key.device().equals(device)) {
            rekey(key.on(device));
        }
    }

    private void rekey(ConnectionKey newKey) {
        key = newKey.withRegistrationId(all.getFirst().id());
        for (int i = 0; i < all.size(); i++) {
            ConnectionCounter kind = kinds.get(i);
            all.get(i).updateKey(buffer -> key.putTo(buffer, kind));
        }
    }

    private void relabel(String newName) {
        name = newName;
        for (int i = 0; i < all.size(); i++) {
            all.get(i).updateLabel(name + ": " + kinds.get(i).label());
        }
    }

    @Override
    public final void close() {
        all.forEach(AtomicCounter::close);
        all.clear();
    }
}
