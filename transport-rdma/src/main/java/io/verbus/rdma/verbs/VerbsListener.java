// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;

/** A listening id. Conductor's thread only. */
final class VerbsListener implements Listener {
    private final VerbsFabric fabric;
    private final ConnectionManager manager;
    private final ConnectionOptions options;
    private final long id;
    private final InetSocketAddress localAddress;
    private boolean isClosed;

    VerbsListener(
            VerbsFabric fabric,
            ConnectionManager manager,
            InetSocketAddress address,
            ConnectionOptions options) {
        this.fabric = fabric;
        this.manager = manager;
        this.options = options;
        id = manager.createId();
        try {
            manager.listen(id, address);
            requireDevice(address);
            localAddress = manager.localAddress(id);
        } catch (RuntimeException refused) {
            manager.destroyId(id);
            throw refused;
        }
    }

    /** An address that is every device's is looked at when a connection arrives. */
    private void requireDevice(InetSocketAddress address) {
        long context = manager.context(id);
        if (context != 0) {
            PathQuery.requireDevice(
                    Device.name(Memory.getLong(context + VerbsAbi.Context.DEVICE)),
                    options,
                    "the address " + SocketAddresses.text(address));
        }
    }

    long id() {
        return id;
    }

    /** Of the connections that arrive. */
    ConnectionOptions options() {
        return options;
    }

    @Override
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            fabric.forget(this);
            manager.destroyId(id);
        }
    }
}
