// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.BusException;
import io.verbus.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.link.ChannelOptions;
import io.verbus.rdma.link.Complaints;
import io.verbus.rdma.link.ConnectionCounters;
import io.verbus.rdma.link.CountersPool;
import io.verbus.rdma.link.Goodbye;
import io.verbus.rdma.link.Greeting;
import io.verbus.rdma.link.LinkEnd;
import io.verbus.rdma.link.RdmaOptions;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The conductor's part of the subscribing side: listeners, and the connections that arrive at them.
 * What a connection carries is {@link InboundImages}'s. Conductor's thread.
 */
public final class InboundConductor implements AutoCloseable {
    private static final int EVENTS_PER_CYCLE = 32;

    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final Queue<ReceiverCommand> commands;
    private final Queue<ReceiverEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private final List<InboundListener> listeners = new ArrayList<>();
    private final List<InboundPeer> peers = new ArrayList<>();
    private final InboundImages images;
    private final AtomicCounter violations;
    private final HalfOpen halfOpen;
    private final Complaints complaints;
    private final CountersPool<ConnectionCounters> countersPool;
    private final AllowList allowList;
    private final AtomicCounter notAllowed;
    private long nowNs;

    /**
     * @param host the driver.
     * @param fabric to listen with.
     * @param options of the transport.
     * @param agent the receiver's part.
     * @param nowNs monotonic time.
     */
    public InboundConductor(
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            InboundAgent agent,
            long nowNs) {
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        this.commands = agent.commands();
        this.nowNs = nowNs;
        complaints = new Complaints(host, nowNs);
        countersPool = new CountersPool<>(name -> new ConnectionCounters(host, name), nowNs);
        halfOpen = new HalfOpen(host, options.maxHalfOpen());
        images = new InboundImages(host, options, commands, peers, complaints, nowNs);
        violations =
                host.counter(
                        CounterTypes.SYSTEM, 0, "rdma: protocol violations of publishing drivers");
        allowList = AllowList.of(host);
        notAllowed =
                host.counter(
                        CounterTypes.SYSTEM, 0, "rdma: connections refused by verbus.rdma.allow");
    }

    /** Opens or joins the endpoint of a channel. */
    public InboundEndpoint open(ChannelUri channel) {
        InetSocketAddress address =
                new InetSocketAddress(channel.endpoint().host(), channel.endpoint().port());
        if (address.isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + channel.endpoint().host()
                            + "' cannot be resolved: name an address of this host's RDMA device");
        }
        for (InboundListener listener : listeners) {
            if (listener.isAt(address)) {
                listener.join(channel);
                return listener;
            }
        }
        try {
            ConnectionOptions asked = ChannelOptions.of(options.connection(), channel);
            InboundListener listener =
                    new InboundListener(address, fabric.listen(address, asked), asked, channel);
            listeners.add(listener);
            return listener;
        } catch (FabricException e) {
            throw new TransportException(e.getMessage(), e);
        }
    }

    /** Leaves an endpoint. The last to leave closes it; its connections end when all is said. */
    public void leave(InboundEndpoint endpoint) {
        InboundListener listener = listener(endpoint);
        if (listener.leave()) {
            listener.close(nowNs);
            listeners.remove(listener);
        }
    }

    /** A subscription has come: offers what was put off for want of one. */
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {
        images.offerAgain(listener(endpoint), streamId);
    }

    /** Stops receiving an image. */
    public void closeImage(InboundImage image, String reason) {
        images.close(image, reason, nowNs);
    }

    /** The duty cycle. */
    public int work(long now) {
        nowNs = now;
        int work = 0;
        ReceiverEvent event;
        // A bounded number: to make an image takes time, in which nothing else is conducted.
        while (work < EVENTS_PER_CYCLE && (event = events.poll()) != null) {
            on(event);
            work++;
        }
        work += giveUpHalfOpen();
        countersPool.work(nowNs);
        for (int i = peers.size() - 1; i >= 0; i--) {
            work += check(peers.get(i));
        }
        return work + images.work(nowNs);
    }

    /** Ends connections that have offered nothing, when they are too many or too old. */
    private int giveUpHalfOpen() {
        int count = 0;
        InboundPeer peer;
        while ((peer = halfOpen.takeOverdue(nowNs)) != null) {
            complaints.record(
                    "connections from "
                            + peer.host
                            + " are given up because they offer no stream: keep strangers off with"
                            + " rdma.allow; otherwise see rdma.max-half-open and"
                            + " rdma.half-open-timeout",
                    nowNs);
            onEnded(peer, "it has offered no stream in time");
            count++;
        }
        return count;
    }

    private int check(InboundPeer peer) {
        switch (peer.state) {
            case ACCEPTED -> {
                // Half open: has a deadline.
            }
            case UP -> {
                if (peer.listener.isClosedFor(options.probeTimeoutNs(), nowNs)
                        || peer.listener.isClosed() && !peer.isWriting()) {
                    peer.state = InboundPeer.State.LEAVING;
                    commands.add(
                            new ReceiverCommand.Leave(
                                    peer.link, "nobody subscribes at the endpoint any more"));
                    return 1;
                }
                String late = images.late(peer, nowNs);
                if (late != null) {
                    detach(peer, late);
                    return 1;
                }
            }
            case LEAVING, RELEASING -> {
                // The receiver answers.
            }
        }
        return 0;
    }

    /** A peer wants to connect. */
    public void onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData) {
        InboundListener endpoint = listener(listener);
        String source = text(remoteAddress);
        Greeting greeting = Greeting.read(privateData);
        if (!allowList.allows(remoteAddress)) {
            notAllowed.incrementRelease();
            refuse(connection, RejectCode.NOT_ALLOWED, notAllowed(remoteAddress));
        } else if (endpoint == null) {
            reject(connection, RejectCode.ENDPOINT_CLOSED);
        } else if (peers.size() >= options.maxPeers()) {
            refuse(
                    connection,
                    RejectCode.NO_RESOURCES,
                    "a connection of "
                            + hostOf(source)
                            + " is one too many: raise rdma.max-peers above "
                            + options.maxPeers());
        } else if (greeting == null) {
            refuse(
                    connection,
                    RejectCode.UNSPECIFIED,
                    "what connects from "
                            + hostOf(source)
                            + " is not a Verbus driver: keep others away from port "
                            + listener.localAddress().getPort());
        } else if (greeting.isOtherVersion()) {
            refuse(
                    connection,
                    RejectCode.VERSION_MISMATCH,
                    "a driver at "
                            + hostOf(source)
                            + " speaks version "
                            + greeting.version()
                            + " of the protocol, this one version "
                            + Greeting.VERSION
                            + ": use the same Verbus release for both");
        } else {
            accept(endpoint, connection, source, greeting);
        }
    }

    /** Without the port, so that a host which tries again is one entry of the error log. */
    private static String notAllowed(InetSocketAddress peer) {
        return "a connection from "
                + (peer == null || peer.getAddress() == null
                        ? "an unknown address"
                        : peer.getAddress().getHostAddress())
                + " was refused: if the host may connect, add it to verbus.rdma.allow";
    }

    private void refuse(Connection connection, RejectCode code, String message) {
        complaints.record(message, nowNs);
        reject(connection, code);
    }

    private void reject(Connection connection, RejectCode code) {
        try {
            connection.reject(Greeting.of(host.driverId(), code));
        } catch (FabricException e) {
            complaints.record(e.getMessage(), nowNs);
        }
        closeWithDomain(connection);
    }

    private void accept(
            InboundListener endpoint, Connection connection, String source, Greeting greeting) {
        ConnectionCounters counters = null;
        InboundLink link = null;
        try {
            counters = countersPool.take("rdma from " + source + " at " + endpoint.description());
            link =
                    new InboundLink(
                            connection.queuePair(),
                            connection.domain(),
                            counters,
                            options,
                            events,
                            nowNs);
            counters.state.setRelease(1);
            counters.queuePair.setRelease(connection.queuePair().number());
            connection.accept(Greeting.of(host.driverId(), RejectCode.UNSPECIFIED));
            InboundPeer peer =
                    new InboundPeer(
                            connection,
                            endpoint,
                            link,
                            counters,
                            greeting.driverId(),
                            source,
                            nowNs + options.halfOpenTimeoutNs());
            peers.add(peer);
            halfOpen.add(peer);
        } catch (FabricException | BusException e) {
            complaints.record(
                    "cannot accept a connection of " + hostOf(source) + ": " + e.getMessage(),
                    nowNs);
            connection.close();
            if (link != null) {
                link.close();
            }
            connection.domain().close();
            if (counters != null) {
                countersPool.giveBack(counters);
            }
        }
    }

    private static void closeWithDomain(Connection connection) {
        connection.close();
        if (connection.domain() != null) {
            connection.domain().close();
        }
    }

    /**
     * A connection is ready.
     *
     * @return whether it is one of this side.
     */
    public boolean onEstablished(Connection connection) {
        InboundPeer peer = peer(connection);
        if (peer == null) {
            return false;
        }
        if (peer.state == InboundPeer.State.ACCEPTED) {
            peer.state = InboundPeer.State.UP;
            peer.counters.state.setRelease(2);
            peer.counters.connects.incrementRelease();
            commands.add(new ReceiverCommand.Attach(peer.link));
        }
        return true;
    }

    /**
     * A connection has ended.
     *
     * @return whether it is one of this side.
     */
    public boolean onEnded(Connection connection, String reason) {
        InboundPeer peer = peer(connection);
        if (peer == null) {
            return false;
        }
        onEnded(peer, reason);
        return true;
    }

    private void onEnded(InboundPeer peer, String reason) {
        switch (peer.state) {
            case ACCEPTED -> dispose(peer, reason, LinkEnd.LOST);
            case UP, LEAVING -> detach(peer, reason);
            case RELEASING -> {
                // The receiver answers.
            }
        }
    }

    private void on(ReceiverEvent event) {
        InboundPeer peer = peer(event.link());
        if (peer == null) {
            return;
        }
        switch (event) {
            case ReceiverEvent.Offered offered -> {
                event.link().onHandled();
                halfOpen.remove(peer);
                detachIf(peer, images.onOffer(peer, offered.offer()));
            }
            case ReceiverEvent.Closed closed -> {
                event.link().onHandled();
                detachIf(
                        peer,
                        images.onClose(peer, closed.registrationId(), closed.finalPosition()));
            }
            case ReceiverEvent.Released released ->
                    dispose(peer, released.reason(), released.end());
        }
        for (int i = 0; i < peers.size(); i++) {
            if (peers.get(i).state == InboundPeer.State.UP && peers.get(i).superseded) {
                detach(peers.get(i), "the same driver has connected anew");
            }
        }
    }

    private void detachIf(InboundPeer peer, String violation) {
        if (violation != null && peer.state != InboundPeer.State.RELEASING) {
            violations.incrementRelease();
            peer.counters.violations.incrementRelease();
            peer.isHostile = true;
            detach(peer, "the peer breaks the protocol: " + violation);
        }
    }

    private void detach(InboundPeer peer, String reason) {
        peer.state = InboundPeer.State.RELEASING;
        commands.add(new ReceiverCommand.Detach(peer.link, reason));
    }

    /** Destroys the queue pair before anything else: from then on no image can be written. */
    private void dispose(InboundPeer peer, String reason, LinkEnd end) {
        peer.connection.close();
        peers.remove(peer);
        halfOpen.remove(peer);
        String message =
                end == LinkEnd.GOODBYE
                        ? "the driver at " + peer.source + " has ended, its publications still open"
                        : "the connection from " + peer.source + " is lost: " + reason;
        if (end == LinkEnd.VIOLATION) {
            violations.incrementRelease();
            peer.counters.violations.incrementRelease();
        }
        if (end == LinkEnd.VIOLATION || peer.isHostile || peer.isWriting()) {
            complaints.record(message, nowNs);
        }
        if (end != LinkEnd.GOODBYE && peer.state != InboundPeer.State.LEAVING) {
            peer.counters.onFailure(reason);
        }
        boolean mayResume = end == LinkEnd.LOST && !peer.isHostile && !peer.listener.isClosed();
        images.onLost(peer, message, mayResume, nowNs);
        peer.link.close();
        if (peer.connection.domain() != null) {
            peer.connection.domain().close();
        }
        countersPool.giveBack(peer.counters);
        images.offerSuperseding();
    }

    private InboundPeer peer(Connection connection) {
        for (InboundPeer peer : peers) {
            if (peer.connection == connection) {
                return peer;
            }
        }
        return null;
    }

    private InboundPeer peer(InboundLink link) {
        for (InboundPeer peer : peers) {
            if (peer.link == link) {
                return peer;
            }
        }
        return null;
    }

    private InboundListener listener(Listener listener) {
        for (InboundListener each : listeners) {
            if (each.uses(listener)) {
                return each;
            }
        }
        return null;
    }

    private static InboundListener listener(InboundEndpoint endpoint) {
        if (endpoint instanceof InboundListener listener) {
            return listener;
        }
        throw new IllegalArgumentException("endpoint " + endpoint + " is of another transport");
    }

    /** An address without its port. */
    private static String hostOf(String source) {
        return source.substring(0, Math.max(0, source.lastIndexOf(':')));
    }

    private static String text(InetSocketAddress address) {
        return address == null || address.getAddress() == null
                ? String.valueOf(address)
                : address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    @Override
    public void close() {
        Goodbye.say(
                peers.stream()
                        .filter(peer -> peer.state == InboundPeer.State.UP)
                        .map(peer -> peer.link)
                        .toList());
        for (InboundPeer peer : peers) {
            peer.connection.close();
            for (IncomingImage image : peer.images) {
                image.closeLog();
            }
            peer.link.close();
            if (peer.connection.domain() != null) {
                peer.connection.domain().close();
            }
            peer.counters.close();
        }
        peers.clear();
        for (InboundListener listener : listeners) {
            listener.close(nowNs);
        }
        listeners.clear();
        violations.close();
        notAllowed.close();
        countersPool.close();
        images.close();
        complaints.close();
        halfOpen.close();
    }
}
