// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.auth.AcceptorHandshake;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;

/**
 * Handles each incoming connection from the peer's request to its end. {@link InboundSetups} and
 * {@link InboundImages} handle its streams. Used by the conductor's thread.
 */
final class InboundConnections {
    private static final int EVENTS_PER_CYCLE = 32;

    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final Queue<ReceiverEvent> events;
    private final RdmaPeerErrors complaints;
    private final HostAdmission hostAdmission;
    private final ConnectionAdmission admission;
    private final InboundPeers peers;
    private final HalfOpen halfOpen;
    private final InboundImages images;
    private final ImageEnds ends;
    private final InboundSetups offers;
    private final AtomicCounter violations;
    private long nowNs;

    InboundConnections(
            TransportHost host,
            RdmaOptions options,
            Queue<ReceiverCommand> commands,
            Queue<ReceiverEvent> events,
            SystemCounters counters,
            HostAdmission hostAdmission,
            InboundPeers peers,
            InboundImages images,
            ImageEnds ends,
            InboundSetups offers,
            RdmaPeerErrors complaints,
            long nowNs) {
        this.host = host;
        this.options = options;
        this.commands = commands;
        this.events = events;
        this.hostAdmission = hostAdmission;
        this.peers = peers;
        this.images = images;
        this.ends = ends;
        this.offers = offers;
        this.complaints = complaints;
        this.nowNs = nowNs;
        halfOpen = new HalfOpen(counters, options.maxHalfOpen());
        violations = counters.counter(TransportCounter.RDMA_VIOLATIONS);
        admission = new ConnectionAdmission(hostAdmission, options.maxPeers(), options.order());
    }

    /** Runs the duty cycle; returns the work count. */
    int work(long now) {
        nowNs = now;
        int work = 0;
        ReceiverEvent event;
        while (work < EVENTS_PER_CYCLE && (event = events.poll()) != null) {
            on(event);
            work++;
        }
        work += giveUpHalfOpen();
        peers.work(nowNs);
        for (int i = peers.count() - 1; i >= 0; i--) {
            work += check(peers.get(i));
        }
        return work;
    }

    /**
     * Closes a connection that has not offered a stream, if there are too many such connections or
     * its time has passed.
     */
    private int giveUpHalfOpen() {
        InboundPeer peer = halfOpen.takeOverdue(nowNs);
        if (peer == null) {
            return 0;
        }
        complaints.record(
                RdmaPeerErrors.Kind.HALF_OPEN,
                peer.host,
                "connections from "
                        + peer.host
                        + " were closed because they did not offer a stream: exclude unknown"
                        + " hosts with rdma.allow, or raise rdma.max-half-open or"
                        + " rdma.half-open-timeout");
        onEnded(peer, Cause.DISCONNECTED, "the peer did not offer a stream in time");
        return 1;
    }

    private int check(InboundPeer peer) {
        switch (peer.state()) {
            case ACCEPTED -> {
                // Half open, with a deadline.
            }
            case UP -> {
                if (peer.listener.isClosedFor(options.probeTimeoutNs(), nowNs)
                        || peer.listener.isClosed() && !peer.isWriting()) {
                    peer.leave();
                    commands.add(
                            new ReceiverCommand.Leave(
                                    peer.link(),
                                    "the endpoint is no longer used by any" + " subscription"));
                    return 1;
                }
                String late = ends.late(peer, nowNs);
                if (late != null) {
                    detach(peer, late);
                    return 1;
                }
            }
            case LEAVING, RELEASING, ENDING -> {
                // Waiting for the receiver or the fabric.
            }
        }
        return 0;
    }

    /**
     * Handles a connection request.
     *
     * @param listener listener at which the request has arrived.
     * @param endpoint endpoint of the listener; null if it is closed.
     * @param connection requested connection.
     * @param remoteAddress address of the peer.
     * @param privateData the peer's hello.
     */
    void onConnectRequest(
            Listener listener,
            InboundListener endpoint,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData) {
        Hello hello = Hello.read(privateData);
        ConnectionAdmission.Refusal refusal =
                admission.refusal(
                        remoteAddress,
                        connection.localAddress(),
                        listener,
                        endpoint,
                        hello,
                        peers.count());
        if (refusal == null) {
            accept(endpoint, connection, remoteAddress, hello);
            return;
        }
        if (!hostAdmission.hasTimeToRefuse(nowNs)) {
            connection.close();
            return;
        }
        if (refusal.complaint() != null) {
            hostAdmission.onRefused(remoteAddress, connection.localAddress(), refusal.complaint());
            complaints.record(
                    refusal.kind(), HostAdmission.hostOf(remoteAddress), refusal.complaint());
        }
        hostAdmission.refuse(connection, Hello.of(host.driverId(), refusal.code()));
    }

    private void notAccepted(String peerHost, String reason) {
        complaints.record(
                RdmaPeerErrors.Kind.NOT_ACCEPTED,
                peerHost,
                "cannot accept a connection from " + peerHost + ": " + reason);
    }

    private void accept(
            InboundListener endpoint,
            Connection connection,
            InetSocketAddress remote,
            Hello hello) {
        AcceptorHandshake handshake =
                hostAdmission.keys().accept(remote.getAddress(), hello.challenge());
        try {
            halfOpen.add(peers.accept(endpoint, connection, remote, hello, handshake, nowNs));
        } catch (BusException e) {
            notAccepted(HostAdmission.hostOf(connection.remoteAddress()), e.getMessage());
        }
    }

    /**
     * Handles an established connection.
     *
     * @return whether a peer has made the connection.
     */
    boolean onEstablished(Connection connection) {
        InboundPeer peer = peers.at(connection);
        if (peer == null) {
            return false;
        }
        if (peer.state() == InboundPeer.State.ACCEPTED) {
            peers.up(peer, nowNs);
            if (!peer.owesProof()) {
                admitted(peer, "without a key");
            }
            commands.add(new ReceiverCommand.Attach(peer.link()));
        }
        return true;
    }

    /** Returns whether each side of a connection commits only what the other side has confirmed. */
    boolean confirms(Connection connection) {
        InboundPeer peer = peers.at(connection);
        return peer != null && peer.confirms;
    }

    /**
     * Handles the end of a connection.
     *
     * @return whether a peer has made the connection.
     */
    boolean onEnded(Connection connection, Cause cause, String reason) {
        InboundPeer peer = peers.at(connection);
        if (peer == null) {
            return false;
        }
        onEnded(peer, cause, reason);
        return true;
    }

    private void onEnded(InboundPeer peer, Cause cause, String reason) {
        switch (peer.state()) {
            case ACCEPTED -> {
                if (cause == Cause.FAILED) {
                    notAccepted(peer.host, reason);
                }
                dispose(peer, reason, LinkEnd.LOST);
            }
            case UP, LEAVING -> detach(peer, reason);
            case RELEASING, ENDING -> {
                // Waiting for the receiver or the fabric.
            }
        }
    }

    private void on(ReceiverEvent event) {
        InboundPeer peer = peers.at(event.link());
        if (peer == null) {
            return;
        }
        switch (event) {
            case ReceiverEvent.Proved proved -> {
                event.link().onHandled();
                if (peer.prove(proved.proof())) {
                    admitted(peer, "with the key of its network");
                } else {
                    unauthenticated(peer);
                }
            }
            case ReceiverEvent.Offered offered -> {
                event.link().onHandled();
                if (peer.owesProof()) {
                    unauthenticated(peer);
                } else {
                    halfOpen.remove(peer);
                    detachIf(peer, offers.onOffer(peer, offered.offer()));
                }
            }
            case ReceiverEvent.Closed closed -> {
                event.link().onHandled();
                if (peer.owesProof()) {
                    unauthenticated(peer);
                } else {
                    detachIf(peer, ends.onClose(peer, closed));
                }
            }
            case ReceiverEvent.Released released ->
                    dispose(peer, released.reason(), released.end());
        }
        for (int i = 0; i < peers.count(); i++) {
            InboundPeer each = peers.get(i);
            if (each.state() == InboundPeer.State.UP && each.isSuperseded()) {
                detach(each, "the same driver has reconnected");
            }
        }
    }

    private void admitted(InboundPeer peer, String how) {
        hostAdmission.onAdmitted(
                peer.connection.remoteAddress(),
                peer.connection.localAddress(),
                "driver=" + Long.toHexString(peer.driverId) + " " + how);
    }

    /** Detaches a peer that does not prove that it has the key, without an answer. */
    private void unauthenticated(InboundPeer peer) {
        if (!peer.isGoing()) {
            String reason =
                    "the driver at "
                            + peer.host
                            + " did not prove that it has its network's key: find out which host"
                            + " this is";
            hostAdmission.onUnauthenticated(
                    peer.connection.remoteAddress(), peer.connection.localAddress(), reason);
            detach(peer, reason);
        }
    }

    private void detachIf(InboundPeer peer, String violation) {
        if (violation != null && !peer.isGoing()) {
            violations.incrementRelease();
            peer.counters.violations.incrementRelease();
            peer.onViolation();
            detach(peer, "the peer violated the protocol: " + violation);
        }
    }

    private void detach(InboundPeer peer, String reason) {
        peer.release();
        commands.add(new ReceiverCommand.Detach(peer.link(), reason));
    }

    /** Destroys the queue pair first, so that images can no longer be written. */
    private void dispose(InboundPeer peer, String reason, LinkEnd end) {
        boolean isLeaving = peer.state() == InboundPeer.State.LEAVING;
        halfOpen.remove(peer);
        peers.cutOff(peer, last -> disposed(peer, reason, end, isLeaving, last));
    }

    private void disposed(
            InboundPeer peer,
            String reason,
            LinkEnd end,
            boolean isLeaving,
            List<ReceiverEvent.Closed> last) {
        for (int i = 0; i < last.size() && !peer.owesProof(); i++) {
            if (ends.onClose(peer, last.get(i)) != null) {
                peer.onViolation();
            }
        }
        peer.pending.clear();
        String message =
                end == LinkEnd.GOODBYE
                        ? "the driver at "
                                + peer.host
                                + " has shut down with publications still open"
                        : "the connection from " + peer.host + " is lost: " + reason;
        if (end == LinkEnd.VIOLATION) {
            violations.incrementRelease();
            peer.counters.violations.incrementRelease();
        }
        if (end == LinkEnd.VIOLATION || peer.isHostile() || peer.isWriting()) {
            complaints.record(kind(peer, end), peer.host, message);
        }
        if (end != LinkEnd.GOODBYE && !isLeaving) {
            peer.counters.onFailure(reason);
        }
        boolean mayResume = end == LinkEnd.LOST && !peer.isHostile() && !peer.listener.isClosed();
        images.onLost(peer, message, mayResume, nowNs);
        peers.free(peer);
        offers.offerWaiting();
    }

    private static RdmaPeerErrors.Kind kind(InboundPeer peer, LinkEnd end) {
        return switch (end) {
            case GOODBYE -> RdmaPeerErrors.Kind.ENDED;
            case VIOLATION -> RdmaPeerErrors.Kind.BREACH;
            case LOST -> peer.isHostile() ? RdmaPeerErrors.Kind.BREACH : RdmaPeerErrors.Kind.LOST;
        };
    }
}
