// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.verbs.VerbsFabric;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A process on the publisher's host that sends drivers an arbitrary hello and arbitrary messages.
 */
final class DeviceStranger implements FabricHandler, QueuePair.Handler, AutoCloseable {
    private final VerbsFabric fabric =
            VerbsFabric.open(
                    refused -> {
                        // Errors that a stranger's device reports.
                    });
    private final InetSocketAddress source;
    private final InetSocketAddress target;
    private final Attack attack;
    private final List<Connection> established = new ArrayList<>();

    /** Connections that are not closed. */
    private int open;

    DeviceStranger(String source, String target, int port, Attack attack) {
        this.source = new InetSocketAddress(source, 0);
        this.target = new InetSocketAddress(target, port);
        this.attack = attack;
    }

    void sendHello(byte[] hello) {
        open++;
        fabric.connect(target, source, ConnectionOptions.DEFAULT, null, hello);
    }

    /** Lets the stranger's connections proceed. */
    void turn() {
        fabric.poll(this, System.nanoTime());
        established.forEach(each -> each.queuePair().poll(this));
    }

    /** Closes the stranger's established connections. */
    void leave() {
        open -= established.size();
        established.forEach(Connection::close);
        established.clear();
    }

    /** Returns whether every connection was refused, has ended or is closed. */
    boolean isIdle() {
        return open == 0;
    }

    @Override
    public void onConnectRequest(
            Listener listener, Connection connection, InetSocketAddress from, byte[] data) {
        throw new AssertionError("nobody listens here");
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
        established.add(connection);
        attack.post(connection);
    }

    @Override
    public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        established.remove(connection);
        open--;
        connection.close();
    }

    @Override
    public void onMessage(long address, int length) {
        // The stranger does not listen.
    }

    @Override
    public void onFailure(String reason) {
        // The peer ends the connection.
    }

    @Override
    public void close() {
        fabric.close();
    }
}
