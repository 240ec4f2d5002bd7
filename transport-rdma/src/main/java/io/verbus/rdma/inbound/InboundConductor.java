// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.common.HostAdmission;
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

import java.net.InetSocketAddress;
import java.util.Queue;

/**
 * The conductor's part of the subscribing side, for the endpoints and images of the driver's
 * subscriptions. {@link InboundConnections} handles the connections of peers. Used by the
 * conductor's thread.
 */
public final class InboundConductor implements InboundTransport, AutoCloseable {
    private final InboundListeners listeners;
    private final Requesters requesters;
    private final Announcer announcer;
    private final InboundPeers peers;
    private final InboundImages images;
    private final ImageEnds ends;
    private final ImageMoves moves;
    private final InboundSetups offers;
    private final InboundConnections connections;
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
     * @param hostAdmission admission rules for hosts.
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
            HostAdmission hostAdmission,
            Requesters requesters,
            RdmaPeerErrors complaints,
            long nowNs) {
        this.requesters = requesters;
        Queue<ReceiverCommand> commands = agent.commands();
        Queue<ReceiverEvent> events = new ManyToOneConcurrentLinkedQueue<>();
        this.nowNs = nowNs;
        listeners = new InboundListeners(host, fabric, options.connection(), hostAdmission);
        peers = new InboundPeers(host, options, registrations, events, nowNs);
        images = new InboundImages(host, options, registrations, commands, complaints, nowNs);
        ends = new ImageEnds(host, options, registrations, commands, images);
        moves = new ImageMoves(host, options, commands, images, counters);
        offers = new InboundSetups(host, options, commands, peers, images, ends, moves, complaints);
        connections =
                new InboundConnections(
                        host,
                        options,
                        commands,
                        events,
                        counters,
                        hostAdmission,
                        peers,
                        images,
                        ends,
                        offers,
                        complaints,
                        nowNs);
        announcer =
                new Announcer(
                        host, fabric, options, peers, hostAdmission.keys(), counters, complaints);
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

    /** Leaves an endpoint, whose connections end after all answers are sent. */
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
        int work = connections.work(nowNs) + moves.work();
        if (images.takeReplaced()) {
            offers.offerWaiting();
        }
        return work + images.work(nowNs) + announcer.work(nowNs);
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
        connections.onConnectRequest(
                listener, listeners.get(listener), connection, remoteAddress, privateData);
    }

    /**
     * Handles an established connection.
     *
     * @return whether it is a connection of this side.
     */
    public boolean onEstablished(Connection connection) {
        return connections.onEstablished(connection) || announcer.onEstablished(connection, nowNs);
    }

    /** Returns whether each side of a connection commits only what the other side has confirmed. */
    public boolean confirms(Connection connection) {
        return connections.confirms(connection);
    }

    /**
     * Handles the end of a connection.
     *
     * @return whether it is a connection of this side.
     */
    public boolean onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        return connections.onEnded(connection, cause, reason)
                || announcer.onEnded(connection, cause, reason, privateData, nowNs);
    }

    @Override
    public void close() {
        announcer.close();
        peers.close();
        listeners.close(nowNs);
        images.close();
    }
}
