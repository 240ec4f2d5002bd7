// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Waits for connections at a simulated address, once it is open. */
final class SimListener implements Listener {
    private final SimFabric fabric;
    private final InetSocketAddress requested;
    private final ConnectionOptions options;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private InetSocketAddress address;
    private boolean isClosed;

    SimListener(SimFabric fabric, InetSocketAddress requested, ConnectionOptions options) {
        this.fabric = fabric;
        this.requested = requested;
        this.options = options;
    }

    /**
     * Binds the listener, or refuses an address in use; has no effect once the listener is closed.
     */
    void open() {
        if (isClosed) {
            return;
        }
        SimNetwork network = fabric.network();
        InetSocketAddress bound =
                requested.getPort() == 0
                        ? new InetSocketAddress(requested.getAddress(), network.nextPort())
                        : requested;
        if (network.listeners().putIfAbsent(bound, this) == null) {
            address = bound;
            opened.complete(null);
        } else {
            opened.completeExceptionally(
                    new FabricException("address " + bound + " is in use: choose another port"));
        }
    }

    SimFabric fabric() {
        return fabric;
    }

    ConnectionOptions options() {
        return options;
    }

    @Override
    public CompletableFuture<Void> opened() {
        return opened;
    }

    @Override
    public InetSocketAddress localAddress() {
        return address;
    }

    @Override
    public void close() {
        isClosed = true;
        if (address != null) {
            fabric.network().listeners().remove(address, this);
        }
    }
}
