// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.logbuffer.LogBuffers;
import io.verbus.rdma.RdmaTransport;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TestHost;
import io.verbus.transport.Transport;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A driver with the RDMA transport, on the simulated network. */
final class TestDriver extends TestHost {
    private static final int MAX_COUNTERS = 4096;

    /** Addresses of the host names that end with .x; others are unknown. */
    final Map<String, String> hosts = new HashMap<>();

    final SimFabric fabric;
    final RdmaTransport transport;

    /** Connections that were up when the last image was lost. */
    int connectionsWhenLost = -1;

    /** The conductor is busy, and has no turn. */
    boolean isConductorBusy;

    /** The receiver's thread does not run. */
    boolean isReceiverAsleep;

    /** The sender's thread does not run; its device does. */
    boolean isSenderAsleep;

    private boolean closed;

    TestDriver(
            SimNetwork network, String address, long driverId, Path directory, String... options) {
        super(driverId, directory, MAX_COUNTERS, options);
        fabric = network.fabric(address);
        fabric.callsBy(this::background);
        transport = new RdmaTransport(this, fabric, RdmaOptions.of(this), 0);
    }

    @Override
    protected Transport transport() {
        return transport;
    }

    @Override
    public InetSocketAddress address(String name, int port) {
        if (!name.endsWith(".x")) {
            return super.address(name, port);
        }
        String found = hosts.get(name);
        return found == null
                ? InetSocketAddress.createUnresolved(name, port)
                : new InetSocketAddress(found, port);
    }

    @Override
    public void onImageLost(InboundImage image, String reason) {
        for (SimConnection connection : fabric.connections()) {
            if (connection.domain().allowsAnyWriteTo(image.log().address())) {
                throw new AssertionError("an image is lost while a peer can still write its log");
            }
        }
        super.onImageLost(image, reason);
        connectionsWhenLost = fabric.connections().size();
    }

    @Override
    protected void free(LogBuffers log) {
        if (fabric.isRegistered(log.address())) {
            throw new AssertionError("a log is released while it is registered");
        }
        super.free(log);
    }

    @Override
    public void stepBackground() {
        if (!closed) {
            super.stepBackground();
        }
    }

    /** Runs a duty cycle of the conductor, while the driver runs; the same for the other agents. */
    void conduct(long nowNs) {
        if (!closed && !isConductorBusy) {
            transport.conduct(nowNs);
        }
    }

    void send(long nowNs) {
        if (!closed && !isSenderAsleep) {
            transport.send(nowNs);
        }
    }

    void receive(long nowNs) {
        if (!closed && !isReceiverAsleep) {
            transport.receive(nowNs);
        }
    }

    /** Kills the driver's process: it does nothing more, and its connections end. */
    void crash() {
        closed = true;
        fabric.crash();
    }

    /** Closes the transport while the network delivers. */
    @Override
    protected void closeTransport() {
        closed = true;
        closeBackground();
        fabric.callsBy((work, then) -> then.accept(SimFabric.failureOf(work)));
        fabric.network().settleWhenPolled(true);
        transport.close();
        fabric.network().settleWhenPolled(false);
        if (fabric.regions() > 0) {
            throw new AssertionError(fabric.regions() + " regions stay registered");
        }
    }
}
