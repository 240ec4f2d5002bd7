// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.Provision;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A fabric that lets a test access its established connections. */
final class WatchedFabric implements Fabric {
    private final Fabric fabric;

    /** Established connections that have not ended; some may be closed. */
    private final List<Connection> established = new ArrayList<>();

    WatchedFabric(Fabric fabric) {
        this.fabric = fabric;
    }

    /** Returns the last established connection, or null if it has ended or is closed. */
    Connection last() {
        established.removeIf(each -> each.localAddress() == null);
        return established.isEmpty() ? null : established.getLast();
    }

    @Override
    public Listener listen(InetSocketAddress localAddress, ConnectionOptions options) {
        return fabric.listen(localAddress, options);
    }

    @Override
    public Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData,
            Provision provision) {
        return fabric.connect(remoteAddress, localAddress, options, domain, privateData, provision);
    }

    @Override
    public int prefixLength(InetAddress localAddress) {
        return fabric.prefixLength(localAddress);
    }

    @Override
    public int poll(FabricHandler handler, long nowNs) {
        return fabric.poll(new Watch(handler), nowNs);
    }

    @Override
    public void cutOff() {
        fabric.cutOff();
    }

    @Override
    public void close() {
        fabric.close();
    }

    private final class Watch implements FabricHandler {
        private final FabricHandler handler;

        Watch(FabricHandler handler) {
            this.handler = handler;
        }

        @Override
        public void onConnectRequest(
                Listener listener, Connection connection, InetSocketAddress from, byte[] data) {
            handler.onConnectRequest(listener, connection, from, data);
        }

        @Override
        public void onListenerLost(Listener listener, String reason) {
            handler.onListenerLost(listener, reason);
        }

        @Override
        public void onListenerBack(Listener listener) {
            handler.onListenerBack(listener);
        }

        @Override
        public void onLostListenerClosed() {
            handler.onLostListenerClosed();
        }

        @Override
        public void onEstablished(Connection connection, byte[] privateData) {
            established.add(connection);
            handler.onEstablished(connection, privateData);
        }

        @Override
        public void onEnded(Connection connection, Cause cause, String reason, byte[] data) {
            established.remove(connection);
            handler.onEnded(connection, cause, reason, data);
        }
    }
}
