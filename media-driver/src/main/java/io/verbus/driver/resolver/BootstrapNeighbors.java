// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import io.verbus.channel.Endpoint;
import io.verbus.driver.background.HostNames;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;

/**
 * The neighbors to contact before any others are known. A separate thread resolves their names
 * repeatedly, because a name server may be slow; the resolver's thread reads the addresses.
 */
final class BootstrapNeighbors {
    private final List<Endpoint> named;
    private final HostNames hosts;
    private final AtomicReferenceArray<InetSocketAddress> addresses;

    BootstrapNeighbors(List<Endpoint> named, HostNames hosts) {
        this.named = named;
        this.hosts = hosts;
        addresses = new AtomicReferenceArray<>(named.size());
    }

    int count() {
        return named.size();
    }

    Endpoint named(int index) {
        return named.get(index);
    }

    /** Returns the address of a neighbor; null while it is unknown. */
    InetSocketAddress address(int index) {
        return addresses.get(index);
    }

    /** Resolves all names; a name that cannot be resolved keeps its address. */
    void resolve(BooleanSupplier isStopped) {
        for (int i = 0; i < named.size() && !isStopped.getAsBoolean(); i++) {
            Endpoint each = named.get(i);
            try {
                addresses.set(i, new InetSocketAddress(hosts.address(each.host()), each.port()));
            } catch (UnknownHostException unknownYet) {
                // The counter's label shows that the name is unresolved, and the lookup is retried.
            }
        }
    }
}
