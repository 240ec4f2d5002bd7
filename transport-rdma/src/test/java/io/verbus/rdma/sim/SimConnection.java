// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.QueuePair;

import java.net.InetSocketAddress;
import java.util.Arrays;

/** One end of a simulated connection. */
public final class SimConnection implements Connection {
    private static final int PADDED_LENGTH = 196;

    private final SimFabric fabric;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final SimDomain domain;
    private final SimQueuePair queuePair;
    private SimConnection peer;
    private boolean established;
    private boolean closed;

    SimConnection(
            SimFabric fabric,
            InetSocketAddress local,
            InetSocketAddress remote,
            SimDomain domain,
            SimQueuePair queuePair) {
        this.fabric = fabric;
        this.local = local;
        this.remote = remote;
        this.domain = domain;
        this.queuePair = queuePair;
    }

    void peer(SimConnection other) {
        peer = other;
    }

    public SimConnection peer() {
        return peer;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    /** The simulated end of the data path. */
    public SimQueuePair sim() {
        return queuePair;
    }

    @Override
    public void prepare() {
        // Queue pair and domain cost nothing here.
    }

    @Override
    public SimDomain domain() {
        return domain;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public PathInfo path() {
        return fabric.path();
    }

    @Override
    public void accept(byte[] privateData) {
        if (peer.closed) {
            fabric.ended(this, Cause.DISCONNECTED, "the initiator has gone", new byte[0]);
            return;
        }
        queuePair.connect(peer.queuePair);
        established = true;
        peer.established = true;
        fabric.network().established();
        fabric.established(this, new byte[0]);
        peer.fabric.established(peer, padded(privateData));
    }

    @Override
    public void reject(byte[] privateData) {
        closed = true;
        queuePair.close();
        fabric.forget(this);
        peer.fabric.ended(
                peer, Cause.REJECTED, "the peer rejects the connection", padded(privateData));
    }

    private byte[] padded(byte[] privateData) {
        return fabric.network().tamperedGreeting(Arrays.copyOf(privateData, PADDED_LENGTH));
    }

    @Override
    public void stop() {
        queuePair.stop();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        queuePair.close();
        fabric.forget(this);
        if (established && peer != null && !peer.closed && !queuePair.isCut()) {
            peer.fabric.ended(peer, Cause.DISCONNECTED, "the peer has disconnected", new byte[0]);
        }
    }

    /** The connection manager tells this end that the connection has ended. */
    public void tellEnd(String reason) {
        fabric.ended(this, Cause.DISCONNECTED, reason, new byte[0]);
    }

    /** The link breaks: both ends fail, at whatever step they are. */
    public void breakLink(String reason) {
        queuePair.fail(reason);
        fabric.ended(this, Cause.DISCONNECTED, reason, new byte[0]);
        peer.fabric.ended(peer, Cause.DISCONNECTED, reason, new byte[0]);
    }
}
