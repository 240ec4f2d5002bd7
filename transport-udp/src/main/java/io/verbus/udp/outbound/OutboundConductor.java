// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.LatencyHop;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.PeerErrorLog;
import io.verbus.transport.PeerRejection;
import io.verbus.transport.StreamHops;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.AllowedSources;
import io.verbus.udp.common.CarrierNotes;
import io.verbus.udp.common.MovedNames;
import io.verbus.udp.common.NetworkWatch;
import io.verbus.udp.common.Resolver;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * Conductor's part of the publishing side: adds and removes publications and their destinations,
 * and handles the sender's events. Used by the conductor's thread only.
 */
public final class OutboundConductor implements OutboundTransport, AutoCloseable {
    /** Maximum number of events per cycle, so that other parts of the driver are not delayed. */
    private static final int EVENTS_PER_CYCLE = 16;

    /** Kinds of errors caused by peers, reported at a limited rate. */
    private enum PeerError {
        UNANSWERABLE,
        NOT_ALLOWED
    }

    /** Destination that was added to a publication. */
    private static final class Added {
        final ChannelUri channel;
        final Destination destination;
        final RemoteReceiver receiver;

        /**
         * Whether the destination was passed to the sender, which happens once its host is
         * resolved.
         */
        boolean isSent;

        Added(ChannelUri channel, Destination destination, RemoteReceiver receiver) {
            this.channel = channel;
            this.destination = destination;
            this.receiver = receiver;
        }
    }

    /** Publication and its destination. */
    private record Sending(SendStream stream, SendDestinations.Shared to) {}

    private final TransportHost host;
    private final UdpOptions options;
    private final PeerErrorLog peerErrors;
    private final SenderCounters counters;
    private final Queue<SenderEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private final SenderAgent agent;
    private final MovedNames names;
    private final NetworkWatch network;
    private final SendDestinations destinations;
    private final FlowControls flowControls;
    private final CarrierNotes notes;
    private final Map<Destination, List<Added>> added = new HashMap<>();
    private final Map<Long, Sending> streams = new HashMap<>();
    private long nowNs;

    /**
     * @param host driver.
     * @param options options of the transport.
     * @param peerErrors rate-limited log of errors caused by peers.
     * @param nowNs monotonic time.
     */
    public OutboundConductor(
            TransportHost host, UdpOptions options, PeerErrorLog peerErrors, long nowNs) {
        this.host = host;
        this.peerErrors = peerErrors;
        this.options = options;
        this.nowNs = nowNs;
        counters = new SenderCounters(host);
        agent = new SenderAgent(events, counters);
        flowControls = new FlowControls(host, options);
        notes = new CarrierNotes(options);
        names = new MovedNames(host, options.connectionTimeoutNs(), nowNs);
        network = new NetworkWatch(options.connectionTimeoutNs(), nowNs);
        destinations =
                new SendDestinations(
                        host, new Resolver(host), options, counters, agent, events, names, network);
    }

    /** Returns the sender's part. */
    public SenderAgent agent() {
        return agent;
    }

    @Override
    public CompletableFuture<Void> addPublication(OutboundStream stream) {
        SendDestinations.Shared to = destinations.enter(stream);
        Destination destination = to.destination();
        Route route = to.route();
        FlowControl flow;
        try {
            flow = flowControls.of(stream, route.isGroup());
        } catch (BusException e) {
            destinations.leave(stream, destination);
            throw e;
        }
        notes.sending(stream, to.buffers(), route.isGroup());
        DestinationPort port = port(route, destination);
        StreamHops hops =
                host.hops(
                        stream,
                        destination.toString(),
                        LatencyHop.ROUND_TRIP,
                        options.statusIntervalNs());
        SendStream sending =
                new SendStream(stream, options, counters, flow, port, route.isGroup(), hops, nowNs);
        streams.put(stream.registrationId(), new Sending(sending, to));
        agent.commands().add(new SenderCommand.Add(destination, sending));
        return CompletableFuture.completedFuture(null);
    }

    /** Returns the port of a stream: one with dynamic receivers has its own. */
    private DestinationPort port(Route route, Destination destination) {
        long timeoutNs = options.connectionTimeoutNs();
        if (route.isDynamic()) {
            return destination
                    .port()
                    .of(
                            RemoteReceivers.dynamic(
                                    options.maxReceivers(), timeoutNs, destination.known()),
                            true);
        }
        return route.isOfResponses()
                ? destination.port().of(RemoteReceivers.requester(timeoutNs), false)
                : destination.port();
    }

    /** Adds a destination, which is used once its host is resolved. */
    @Override
    public void addDestination(OutboundStream stream, ChannelUri channel) {
        InetSocketAddress to = host.address(channel.endpoint().host(), channel.endpoint().port());
        SendDestinations.Shared by = streams.get(stream.registrationId()).to();
        Route route = by.route();
        if (!to.isUnresolved()) {
            checkDestination(route, channel, to);
        }
        Added one = new Added(channel, by.destination(), receiver(stream, channel));
        added.computeIfAbsent(one.destination, key -> new ArrayList<>()).add(one);
        if (!to.isUnresolved()) {
            send(one, to);
        }
        names.watch(
                one.receiver,
                channel,
                "endpoint",
                channel.endpoint(),
                to,
                () -> one.receiver.connected.get() == 0,
                found -> {
                    checkDestination(by.route(), channel, found);
                    send(one, found);
                });
    }

    private static void checkDestination(Route route, ChannelUri channel, InetSocketAddress to) {
        if (to.getAddress().isMulticastAddress()) {
            throw new TransportException(
                    "destination '"
                            + channel
                            + "' is a multicast group, which cannot be a destination: publish on"
                            + " verbus:udp?endpoint="
                            + channel.endpoint());
        }
        route.checkFamily(channel, to);
    }

    /** Passes the destination to the sender, or its new address if it is there already. */
    private void send(Added one, InetSocketAddress to) {
        if (one.isSent) {
            agent.commands().add(new SenderCommand.MoveReceiver(one.receiver, to));
            return;
        }
        one.receiver.address.set(new SocketAddress(to));
        one.isSent = true;
        agent.commands().add(new SenderCommand.AddReceiver(one.destination, one.receiver));
    }

    private RemoteReceiver receiver(OutboundStream stream, ChannelUri channel) {
        AtomicCounter released =
                host.counter(
                        stream,
                        CounterTypes.DESTINATION_RELEASED,
                        channel.endpoint().toString(),
                        "released by");
        try {
            return new RemoteReceiver(
                    new SocketAddress(),
                    released,
                    host.counter(
                            stream,
                            CounterTypes.DESTINATION_CONNECTED,
                            channel.endpoint().toString(),
                            "connected to"));
        } catch (BusException e) {
            released.close();
            throw e;
        }
    }

    @Override
    public void removeDestination(OutboundStream stream, ChannelUri channel) {
        Sending sending = streams.get(stream.registrationId());
        if (sending == null) {
            return; // it has ended, together with its destinations
        }
        Destination destination = sending.to().destination();
        List<Added> there = added.getOrDefault(destination, List.of());
        for (Added each : there) {
            if (each.channel.endpoint().equals(channel.endpoint())) {
                there.remove(each);
                names.forget(each.receiver);
                if (each.isSent) {
                    agent.commands()
                            .add(new SenderCommand.RemoveReceiver(destination, each.receiver));
                } else {
                    each.receiver.closeCounters();
                }
                return;
            }
        }
    }

    @Override
    public String localAddress(OutboundStream stream) {
        return streams.get(stream.registrationId()).to().destination().localAddress();
    }

    @Override
    public void closePublication(OutboundStream stream) {
        Sending sending = streams.get(stream.registrationId());
        if (sending != null) {
            agent.commands().add(new SenderCommand.End(sending.stream()));
        }
    }

    /** Runs the duty cycle; returns the work count. */
    public int work(long now) {
        nowNs = now;
        int work = names.work(now) + network.work(now);
        SenderEvent event;
        while (work < EVENTS_PER_CYCLE && (event = events.poll()) != null) {
            on(event);
            work++;
        }
        return work;
    }

    private void on(SenderEvent event) {
        switch (event) {
            case SenderEvent.Finished finished -> {
                OutboundStream stream = finished.stream().stream();
                streams.remove(stream.registrationId());
                finished.stream().flow().close();
                host.free(finished.stream().hops());
                destinations.leave(stream, finished.destination());
                host.onPublicationReleased(stream);
            }
            case SenderEvent.Broken broken -> {
                host.onError(broken.stream().stream().channel(), new BusException(broken.reason()));
                host.onPublicationFailed(broken.stream().stream(), false, broken.reason());
            }
            case SenderEvent.Failed failed ->
                    host.onPublicationFailed(
                            failed.stream().stream(),
                            true,
                            "the receiver at "
                                    + failed.host()
                                    + " cannot receive the stream: "
                                    + failed.reason());
            case SenderEvent.ImageRejected rejected ->
                    host.onImageRejected(
                            rejected.stream().stream(),
                            new PeerRejection(
                                    rejected.receiverId(),
                                    rejected.groupTag(),
                                    rejected.address(),
                                    rejected.reason(),
                                    endpoint(rejected)));
            case SenderEvent.Response response ->
                    host.onResponseSession(response.stream().stream(), response.sessionId());
            case SenderEvent.Unreachable unreachable -> {
                destinations.onError(
                        unreachable.destination(), new TransportException(unreachable.reason()));
                network.checkAgain(unreachable.destination());
            }
            case SenderEvent.Rebound rebound ->
                    streams.values().stream()
                            .filter(each -> each.to().destination() == rebound.destination())
                            .forEach(each -> host.onLocalAddressChanged(each.stream().stream()));
            case SenderEvent.Refused refused ->
                    destinations.onError(
                            refused.destination(),
                            new TransportException(
                                    "the kernel refuses to send datagrams to "
                                            + refused.receiver()
                                            + " ("
                                            + SendBatch.errorText(refused.errno())
                                            + "): check the route, the firewall, and that mtu does"
                                            + " not exceed the network's MTU"));
            case SenderEvent.Unanswerable unanswerable ->
                    peerErrors.record(
                            PeerError.UNANSWERABLE,
                            unanswerable.host(),
                            "the kernel refuses to send answers to "
                                    + unanswerable.host()
                                    + ", which requested a stream ("
                                    + SendBatch.errorText(unanswerable.errno())
                                    + "): check the route and the firewall");
            case SenderEvent.NotAllowed stranger -> {
                host.audit("refused udp peer=" + stranger.host() + " reason=not in udp.allow");
                peerErrors.record(
                        PeerError.NOT_ALLOWED,
                        stranger.host(),
                        AllowedSources.refusal(stranger.host()));
            }
            case SenderEvent.Removed removed -> removed.receiver().closeCounters();
            case SenderEvent.Unjoined unjoined ->
                    destinations.onError(
                            unjoined.destination(),
                            new TransportException(
                                    "the kernel cannot segment coalesced datagrams to "
                                            + unjoined.destination()
                                            + " ("
                                            + SendBatch.errorText(unjoined.errno())
                                            + "), so the driver sends each datagram separately:"
                                            + " lower mtu to fit the network, or set"
                                            + " udp.gso=false"));
            case SenderEvent.Detached detached -> {
                destinations.close(detached.destination());
                List<Added> there = added.remove(detached.destination());
                if (there != null) {
                    there.forEach(each -> names.forget(each.receiver));
                    there.forEach(each -> each.receiver.closeCounters());
                }
            }
        }
    }

    /** Returns the endpoint of the destination that rejected a stream; null if none was added. */
    private Endpoint endpoint(SenderEvent.ImageRejected rejected) {
        Sending sending = streams.get(rejected.stream().stream().registrationId());
        List<Added> there =
                sending == null
                        ? List.of()
                        : added.getOrDefault(sending.to().destination(), List.of());
        for (Added each : there) {
            if (each.receiver == rejected.at()) {
                return each.channel.endpoint();
            }
        }
        return null;
    }

    /** Closes everything. The agents must have stopped. */
    @Override
    public void close() {
        streams.values().forEach(each -> each.stream().flow().close());
        destinations.close();
        network.close();
        added.values().forEach(all -> all.forEach(each -> each.receiver.closeCounters()));
        agent.close();
        counters.close();
    }
}
