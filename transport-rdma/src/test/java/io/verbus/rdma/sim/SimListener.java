// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;

/** Waits for connections at a simulated address. */
final class SimListener implements Listener {
    private final SimFabric fabric;
    private final InetSocketAddress address;
    private final ConnectionOptions options;

    SimListener(SimFabric fabric, InetSocketAddress address, ConnectionOptions options) {
        this.fabric = fabric;
        this.address = address;
        this.options = options;
    }

    SimFabric fabric() {
        return fabric;
    }

    ConnectionOptions options() {
        return options;
    }

    @Override
    public InetSocketAddress localAddress() {
        return address;
    }

    @Override
    public void close() {
        fabric.network().listeners().remove(address, this);
    }
}
