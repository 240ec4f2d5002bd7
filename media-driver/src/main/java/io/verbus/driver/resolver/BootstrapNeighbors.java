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
 * The neighbors that are told before any is known. A thread of its own resolves their names again
 * and again, as a name server may take long; the resolver's thread reads where they lead.
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

    /** Where a neighbor's name leads; null while that is unknown. */
    InetSocketAddress address(int index) {
        return addresses.get(index);
    }

    /** Resolves all names; one that cannot be resolved keeps its address. */
    void resolve(BooleanSupplier isStopped) {
        for (int i = 0; i < named.size() && !isStopped.getAsBoolean(); i++) {
            Endpoint each = named.get(i);
            try {
                addresses.set(i, new InetSocketAddress(hosts.address(each.host()), each.port()));
            } catch (UnknownHostException unknownYet) {
                // The label of its counter says so, and it is asked again.
            }
        }
    }
}
