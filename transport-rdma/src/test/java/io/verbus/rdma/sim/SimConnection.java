// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.Provision;
import io.verbus.rdma.fabric.QueuePair;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;

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
    private Provision provision = Provision.NONE;

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

    /** Registers the connection's memory; false if that fails, and the connection ends. */
    boolean provide(Provision needed) {
        try {
            needed.register(domain);
            provision = needed;
            return true;
        } catch (FabricException refused) {
            fabric.ended(this, Cause.FAILED, refused.getMessage(), new byte[0]);
            return false;
        }
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
    public void accept(Supplier<byte[]> answer, Provision needed) {
        if (!provide(needed)) {
            return;
        }
        byte[] privateData = answer.get();
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
    public void reject(byte[] privateData, Consumer<RuntimeException> failed) {
        closed = true;
        queuePair.close();
        fabric.forget(this);
        domain.close();
        peer.fabric.ended(
                peer, Cause.REJECTED, "the peer rejects the connection", padded(privateData));
    }

    private byte[] padded(byte[] privateData) {
        return fabric.network().tamperedHello(Arrays.copyOf(privateData, PADDED_LENGTH));
    }

    @Override
    public void call(Runnable work, Consumer<RuntimeException> then) {
        RuntimeException failure = SimFabric.failureOf(work);
        fabric.later(() -> then.accept(failure));
    }

    @Override
    public void close(Runnable last, Runnable then) {
        if (closed) {
            return;
        }
        closed = true;
        if (last != null) {
            queuePair.stop();
            last.run();
        }
        queuePair.close();
        fabric.forget(this);
        if (established && peer != null && !peer.closed && !queuePair.isCut()) {
            peer.fabric.ended(peer, Cause.DISCONNECTED, "the peer has disconnected", new byte[0]);
        }
        provision.release();
        fabric.later(then);
    }

    /** The connection manager reports to this end that the connection has ended. */
    public void tellEnd(String reason) {
        fabric.ended(this, Cause.DISCONNECTED, reason, new byte[0]);
    }

    /** Breaks the link: both ends fail, at any step. */
    public void breakLink(String reason) {
        queuePair.fail(reason);
        fabric.ended(this, Cause.DISCONNECTED, reason, new byte[0]);
        peer.fabric.ended(peer, Cause.DISCONNECTED, reason, new byte[0]);
    }
}
