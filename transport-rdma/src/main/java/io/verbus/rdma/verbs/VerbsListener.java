// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A listening id. Conductor's thread only. */
final class VerbsListener implements Listener {
    private static final long FIRST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(5);

    private final VerbsFabric fabric;
    private final ConnectionManager manager;
    private final ConnectionOptions options;
    private final InetSocketAddress localAddress;

    /** 0 while it waits for its device. */
    private long id;

    private long againNs;
    private long waitNs;
    private boolean isClosed;

    VerbsListener(
            VerbsFabric fabric,
            ConnectionManager manager,
            InetSocketAddress address,
            ConnectionOptions options) {
        this.fabric = fabric;
        this.manager = manager;
        this.options = options;
        id = listen(address);
        localAddress = manager.localAddress(id);
    }

    private long listen(InetSocketAddress address) {
        long made = manager.createId();
        try {
            manager.listen(made, address);
            requireDevice(made, address);
            return made;
        } catch (RuntimeException refused) {
            manager.destroyId(made);
            throw refused;
        }
    }

    /** An address that is every device's is looked at when a connection arrives. */
    private void requireDevice(long made, InetSocketAddress address) {
        long context = manager.context(made);
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
            stop();
        }
    }

    /** Hears nothing any more, until {@link #listenAgain}. */
    void stop() {
        if (id != 0) {
            manager.destroyId(id);
            id = 0;
        }
    }

    /** Listens at the same address, if it is time to try and the device is there. */
    boolean listenAgain(long nowNs) {
        if (waitNs != 0 && nowNs - againNs < 0) {
            return false;
        }
        try {
            id = listen(localAddress);
            waitNs = 0;
            return true;
        } catch (VerbsException notYet) {
            waitNs = waitNs == 0 ? FIRST_WAIT_NS : Math.min(2 * waitNs, LONGEST_WAIT_NS);
            againNs = nowNs + waitNs;
            return false;
        }
    }
}
