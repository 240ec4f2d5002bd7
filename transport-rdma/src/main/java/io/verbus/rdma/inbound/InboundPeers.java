// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.cnc.ConnectionKey;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.auth.AcceptorHandshake;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.auth.Side;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.CountersPool;
import io.verbus.rdma.common.Goodbye;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.WriteOrder;
import io.verbus.rdma.fabric.Connection;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;

/** The connections from publishing drivers and their resources. Used by the conductor's thread. */
final class InboundPeers implements AutoCloseable {
    private final TransportHost host;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final Queue<ReceiverEvent> events;
    private final List<InboundPeer> all = new ArrayList<>();
    private final CountersPool<ConnectionCounters> countersPool;

    /**
     * @param host the driver.
     * @param options options of the transport.
     * @param registrations registrations of all logs.
     * @param events queue of events to the conductor.
     * @param nowNs monotonic time.
     */
    InboundPeers(
            TransportHost host,
            RdmaOptions options,
            LogRegistrations registrations,
            Queue<ReceiverEvent> events,
            long nowNs) {
        this.host = host;
        this.options = options;
        this.registrations = registrations;
        this.events = events;
        countersPool =
                new CountersPool<>((name, key) -> new ConnectionCounters(host, name, key), nowNs);
    }

    int count() {
        return all.size();
    }

    InboundPeer get(int index) {
        return all.get(index);
    }

    /** Returns the peer of a connection; null if it is not a connection of this side. */
    InboundPeer at(Connection connection) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).connection == connection) {
                return all.get(i);
            }
        }
        return null;
    }

    /** Returns the peer of a link, or null. */
    InboundPeer at(InboundLink link) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).link() == link) {
                return all.get(i);
            }
        }
        return null;
    }

    /**
     * Accepts a connection.
     *
     * @throws BusException if the driver has no counters left; the connection is closed then.
     */
    InboundPeer accept(
            InboundListener endpoint,
            Connection connection,
            InetSocketAddress remote,
            Hello hello,
            AcceptorHandshake handshake,
            long nowNs) {
        String source = InboundPeer.text(remote);
        boolean isSafe = options.order() == WriteOrder.SAFE;
        ConnectionCounters counters;
        try {
            counters =
                    countersPool.take(
                            "rdma from " + source + " at " + endpoint.description(),
                            ConnectionKey.ofConnection(source));
        } catch (BusException e) {
            connection.close();
            throw e;
        }
        counters.state.setRelease(1);
        Proof awaited = null;
        Proof proof = Proof.NONE;
        if (handshake.isNeeded()) {
            int version = hello.version();
            Side initiator = hello.side(remote.getAddress());
            Side own =
                    Hello.own(
                            connection.localAddress().getAddress(),
                            host.driverId(),
                            handshake.challenge());
            proof = handshake.proof(version, initiator, own);
            awaited = handshake.awaited(version, initiator, own);
        }
        InboundMemory memory = new InboundMemory();
        byte[] answer =
                Hello.of(
                        host.driverId(),
                        RejectCode.UNSPECIFIED,
                        handshake.challenge(),
                        proof,
                        isSafe);
        connection.accept(() -> answer, memory);
        InboundPeer peer =
                new InboundPeer(
                        connection,
                        endpoint,
                        memory,
                        counters,
                        hello.version(),
                        isSafe || hello.confirms(),
                        hello.driverId(),
                        source,
                        awaited,
                        nowNs + options.halfOpenTimeoutNs());
        all.add(peer);
        return peer;
    }

    /** Handles the established connection of a peer. */
    void up(InboundPeer peer, long nowNs) {
        peer.up(
                new InboundLink(
                        peer.connection.queuePair(),
                        peer.memory,
                        peer.version,
                        peer.counters,
                        options,
                        events,
                        peer.confirms,
                        nowNs));
        peer.counters.state.setRelease(2);
        peer.counters.queuePair.setRelease(peer.connection.queuePair().number());
        peer.counters.connects.incrementRelease();
        peer.counters.on(peer.connection.path().device());
    }

    /**
     * Destroys the queue pair of a peer, which is counted until that is done.
     *
     * @param then called when the peer can no longer write, with the ends of streams that the
     *     receiver had not read. The peer knows that these messages have arrived.
     */
    void cutOff(InboundPeer peer, Consumer<List<ReceiverEvent.Closed>> then) {
        peer.end();
        List<ReceiverEvent.Closed> last = new ArrayList<>();
        peer.connection.close(
                () -> {
                    if (peer.link() != null) {
                        last.addAll(peer.link().readLast());
                    }
                },
                () -> {
                    all.remove(peer);
                    then.accept(last);
                });
    }

    /** Frees a peer's resources, after it is cut off and its images' logs are taken from it. */
    void free(InboundPeer peer) {
        closeDomain(peer);
        countersPool.giveBack(peer.counters);
    }

    private void closeDomain(InboundPeer peer) {
        if (peer.connection.domain() != null) {
            registrations.close(peer.connection.domain());
        }
    }

    /** Runs the timers. */
    void work(long nowNs) {
        countersPool.work(nowNs);
    }

    @Override
    public void close() {
        Goodbye.say(
                all.stream()
                        .filter(peer -> peer.state() == InboundPeer.State.UP)
                        .map(InboundPeer::link)
                        .toList());
        for (InboundPeer peer : all) {
            peer.connection.close();
            closeDomain(peer);
            peer.counters.close();
        }
        all.clear();
        countersPool.close();
    }
}
