// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import io.verbus.transport.Networks;

import java.net.InetAddress;
import java.util.List;

/** The keys of networks, in the order of their file. Immutable. */
final class Keys {
    /** No network has a key. */
    static final Keys NONE = new Keys(List.of());

    private final List<Entry> entries;

    /**
     * A network and its keys.
     *
     * @param network as the file has it.
     * @param hosts of the network.
     * @param keys one or two.
     */
    record Entry(String network, Networks hosts, List<Key> keys) {}

    Keys(List<Entry> entries) {
        this.entries = entries;
    }

    /** The keys of the first network that holds the address; none if none does. */
    List<Key> of(InetAddress address) {
        for (Entry entry : entries) {
            if (entry.hosts().contains(address)) {
                return entry.keys();
            }
        }
        return List.of();
    }

    /** How many networks have keys. */
    int networks() {
        return entries.size();
    }
}
