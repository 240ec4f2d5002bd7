// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.auth.Acceptance;
import io.verbus.rdma.common.Admittance;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;

/**
 * The conductor's part of the subscribing side: handles each incoming connection from the peer's
 * request to its end. {@link InboundSetups} and {@link InboundImages} handle its streams. Used by
 * the conductor's thread.
 */
public final class InboundConductor implements InboundTransport, AutoCloseable {
    private static final int EVENTS_PER_CYCLE = 32;

    private final TransportHost host;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final Queue<ReceiverEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private final RdmaPeerErrors complaints;
    private final InboundListeners listeners;
    private final Admittance admittance;
    private final Admission admission;
    private final Requesters requesters;
    private final Announcer announcer;
    private final InboundPeers peers;
    private final HalfOpen halfOpen;
    private final InboundImages images;
    private final ImageEnds ends;
    private final ImageMoves moves;
    private final InboundSetups offers;
    private final AtomicCounter violations;
    private long nowNs;

    /** Records which driver may receive the responses of a session. */
    public interface Requesters {
        /**
         * @param sessionId session id of a response publication.
         * @param driverId id of the driver that sent the requests; 0 if it is no longer known.
         */
        void allow(int sessionId, long driverId);
    }

    /**
     * @param host the driver.
     * @param fabric fabric to listen with.
     * @param options options of the transport.
     * @param registrations registrations of all logs.
     * @param agent the receiver's part.
     * @param counters counters of the transport.
     * @param admittance admission rules for hosts.
     * @param requesters drivers that may receive responses.
     * @param complaints error records of peers.
     * @param nowNs monotonic time.
     */
    public InboundConductor(
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            LogRegistrations registrations,
            ReceiverAgent agent,
            SystemCounters counters,
            Admittance admittance,
            Requesters requesters,
            RdmaPeerErrors complaints,
            long nowNs) {
        this.host = host;
        this.admittance = admittance;
        this.options = options;
        this.requesters = requesters;
        this.commands = agent.commands();
        this.nowNs = nowNs;
        this.complaints = complaints;
        listeners = new InboundListeners(host, fabric, options.connection(), admittance);
        peers = new InboundPeers(host, options, registrations, events, nowNs);
        halfOpen = new HalfOpen(counters, options.maxHalfOpen());
        images = new InboundImages(host, options, registrations, commands, complaints, nowNs);
        ends = new ImageEnds(host, options, registrations, commands, images);
        moves = new ImageMoves(host, options, commands, images, counters);
        offers = new InboundSetups(host, options, commands, peers, images, ends, moves, complaints);
        violations = counters.counter(TransportCounter.RDMA_VIOLATIONS);
        admission = new Admission(admittance, options.maxPeers(), options.order());
        announcer =
                new Announcer(
                        host, fabric, options, peers, admittance.keys(), counters, complaints);
    }

    @Override
    public InboundEndpoint openEndpoint(ChannelUri channel) {
        InboundListener listener = listeners.open(channel);
        announce(listener, channel);
        return listener;
    }

    @Override
    public InboundEndpoint openDestination(ChannelUri channel) {
        InboundListener listener = listeners.openDestination(channel);
        announce(listener, channel);
        return listener;
    }

    /**
     * Announces the endpoint if the channel names a control address, so that the publications there
     * connect.
     */
    private void announce(InboundListener listener, ChannelUri channel) {
        if (channel.control() != null && !channel.response().isResponse()) {
            announcer.add(listener, channel.control(), null, nowNs);
        }
    }

    @Override
    public void joinEndpoint(InboundEndpoint endpoint, ChannelUri channel) {
        InboundListener listener = InboundListeners.of(endpoint);
        listener.join(channel);
        announce(listener, channel);
    }

    /** {@inheritDoc} The endpoint's connections end after all answers are sent. */
    @Override
    public void closeEndpoint(InboundEndpoint endpoint) {
        InboundListener listener = InboundListeners.of(endpoint);
        if (listeners.leave(listener, nowNs)) {
            announcer.forget(listener);
        }
    }

    @Override
    public void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId) {
        InboundListener listener = InboundListeners.of(endpoint);
        announcer.add(
                listener, listener.responses(), new AwaitedResponses(streamId, sessionId), nowNs);
    }

    @Override
    public void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId) {
        announcer.forget(InboundListeners.of(endpoint), new AwaitedResponses(streamId, sessionId));
    }

    @Override
    public void tellResponseSession(InboundImage image, Integer sessionId) {
        long driverId = images.tellResponseSession(image, sessionId);
        if (sessionId != null) {
            requesters.allow(sessionId, driverId);
        }
    }

    @Override
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {
        offers.offerAgain(InboundListeners.of(endpoint), streamId);
    }

    @Override
    public void rejectImage(InboundImage image, String reason) {
        ends.reject(image, reason, nowNs);
    }

    @Override
    public boolean isOneSided() {
        return true;
    }

    @Override
    public void moveImage(InboundImage image) {
        moves.begin(image, nowNs);
    }

    @Override
    public void closeImage(InboundImage image) {
        ends.close(image, nowNs);
    }

    /** Runs the duty cycle; returns the work count. */
    public int work(long now) {
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
        work += moves.work();
        if (images.takeReplaced()) {
            offers.offerWaiting();
        }
        return work + images.work(nowNs) + announcer.work(nowNs);
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
     * Returns the channel of a subscription at a listener; null if it is not a listener of this
     * side.
     */
    public ChannelUri channel(Listener listener) {
        InboundListener endpoint = listeners.get(listener);
        return endpoint == null ? null : endpoint.channel();
    }

    /** Handles a connection request. */
    public void onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData) {
        InboundListener endpoint = listeners.get(listener);
        Hello greeting = Hello.read(privateData);
        Admission.Refusal refusal =
                admission.refusal(
                        remoteAddress,
                        connection.localAddress(),
                        listener,
                        endpoint,
                        greeting,
                        peers.count());
        if (refusal == null) {
            accept(endpoint, connection, remoteAddress, greeting);
            return;
        }
        if (!admittance.hasTimeToRefuse(nowNs)) {
            connection.close();
            return;
        }
        if (refusal.complaint() != null) {
            admittance.onRefused(remoteAddress, connection.localAddress(), refusal.complaint());
            complaints.record(
                    refusal.kind(), Admittance.hostOf(remoteAddress), refusal.complaint());
        }
        admittance.refuse(connection, Hello.of(host.driverId(), refusal.code()));
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
            Hello greeting) {
        Acceptance acceptance = admittance.keys().accept(remote.getAddress(), greeting.challenge());
        try {
            halfOpen.add(peers.accept(endpoint, connection, remote, greeting, acceptance, nowNs));
        } catch (BusException e) {
            notAccepted(Admittance.hostOf(connection.remoteAddress()), e.getMessage());
        }
    }

    /**
     * Handles an established connection.
     *
     * @return whether it is a connection of this side.
     */
    public boolean onEstablished(Connection connection) {
        InboundPeer peer = peers.at(connection);
        if (peer == null) {
            return announcer.onEstablished(connection, nowNs);
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
    public boolean confirms(Connection connection) {
        InboundPeer peer = peers.at(connection);
        return peer != null && peer.confirms;
    }

    /**
     * Handles the end of a connection.
     *
     * @return whether it is a connection of this side.
     */
    public boolean onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        InboundPeer peer = peers.at(connection);
        if (peer == null) {
            return announcer.onEnded(connection, cause, reason, privateData, nowNs);
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
        admittance.onAdmitted(
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
            admittance.onUnauthenticated(
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

    @Override
    public void close() {
        announcer.close();
        peers.close();
        listeners.close(nowNs);
        images.close();
    }
}
