// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.verbs.VerbsException;
import io.verbus.rdma.verbs.VerbsFabric;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** RDMA connection from an address to itself. One thread uses both ends. */
public final class SelfConnection implements FabricHandler, QueuePair.Handler, AutoCloseable {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final LocalKey NO_LOCAL_KEY = new LocalKey(0);
    private static final RemoteKey NO_REMOTE_KEY = new RemoteKey(0);

    private final VerbsFabric fabric = VerbsFabric.open(VerbsException::rethrowUnlessWarning);
    private QueuePair queuePair;

    private SelfConnection() {}

    /**
     * Connects an address to itself.
     *
     * @param address address of an RDMA device's interface.
     */
    public static SelfConnection open(String address) {
        if (address == null) {
            throw new IllegalStateException(
                    "set -Dverbus.perf.address to the address of an RDMA device's interface");
        }
        SelfConnection self = new SelfConnection();
        Listener listener =
                self.fabric.listen(new InetSocketAddress(address, 0), ConnectionOptions.DEFAULT);
        long deadline = System.nanoTime() + TIMEOUT_NS;
        while (!listener.opened().isDone() && System.nanoTime() - deadline < 0) {
            self.fabric.poll(self, System.nanoTime());
        }
        if (listener.refusal() != null) {
            throw listener.refusal();
        }
        Connection connection =
                self.fabric.connect(
                        listener.localAddress(),
                        null,
                        ConnectionOptions.DEFAULT,
                        null,
                        new byte[0]);
        while (self.queuePair == null) {
            self.fabric.poll(self, System.nanoTime());
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(address + " cannot be connected to itself");
            }
        }
        return self.check(connection);
    }

    private SelfConnection check(Connection connection) {
        if (queuePair != connection.queuePair()) {
            throw new IllegalStateException("established an unexpected connection");
        }
        return this;
    }

    /** Polls the completion queues once; returns the number of completions. */
    public int poll() {
        return queuePair.poll(this);
    }

    /** Writes zero bytes to the other end, and polls until the write completes. */
    public long write() {
        queuePair.stageWrite(0, 0, NO_LOCAL_KEY, 0, NO_REMOTE_KEY);
        long posted = queuePair.post(true);
        while (queuePair.completed() < posted) {
            queuePair.poll(this);
        }
        return posted;
    }

    @Override
    public void onConnectRequest(
            Listener listener,
            Connection request,
            InetSocketAddress remoteEnd,
            byte[] privateData) {
        request.accept(new byte[] {1});
    }

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
        if (privateData.length > 0) { // the event belongs to the end that requested the connection
            queuePair = established.queuePair();
        }
    }

    @Override
    public void onEnded(Connection ended, Cause cause, String reason, byte[] privateData) {
        throw new IllegalStateException("the connection was closed: " + reason);
    }

    @Override
    public void onMessage(long address, int length) {
        throw new IllegalStateException("unexpected message of " + length + " bytes");
    }

    @Override
    public void onFailure(String reason) {
        throw new IllegalStateException("the queue pair failed: " + reason);
    }

    @Override
    public void close() {
        fabric.close();
    }
}
