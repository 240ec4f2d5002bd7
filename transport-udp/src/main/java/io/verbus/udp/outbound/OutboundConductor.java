// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.BusException;
import io.verbus.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.udp.link.Group;
import io.verbus.udp.link.Resolver;
import io.verbus.udp.link.SenderCounters;
import io.verbus.udp.link.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;

/**
 * The conductor's part of the publishing side: destinations, and which streams go there.
 * Publications whose channels name the same endpoint, interface and hops share a socket.
 * Conductor's thread.
 */
public final class OutboundConductor implements AutoCloseable {
    /**
     * What a socket is for.
     *
     * @param to the one receiver, or group; null if there are several receivers.
     * @param from where it is bound.
     * @param group that it sends to, or null.
     * @param ttl of its datagrams.
     * @param owner registration of the one publication that has it for itself, or 0.
     */
    private record Route(
            InetSocketAddress to,
            InetSocketAddress from,
            Group group,
            OptionalInt ttl,
            long owner) {}

    /** A destination that was added to a publication. */
    private record Added(ChannelUri channel, Receiver receiver) {}

    private static final class Shared {
        final Route route;
        final Destination destination;
        int streams;

        Shared(Route route, Destination destination) {
            this.route = route;
            this.destination = destination;
        }
    }

    private final TransportHost host;
    private final UdpOptions options;
    private final SenderCounters counters;
    private final Queue<SenderEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private final SenderAgent agent;
    private final Map<Route, Shared> routes = new HashMap<>();
    private final Map<Destination, List<Added>> added = new HashMap<>();
    private final List<Destination> open = new ArrayList<>();
    private final Map<Long, SendStream> streams = new HashMap<>();
    private long nowNs;

    /**
     * @param host the driver.
     * @param options of the transport.
     * @param nowNs monotonic time.
     */
    public OutboundConductor(TransportHost host, UdpOptions options, long nowNs) {
        this.host = host;
        this.options = options;
        this.nowNs = nowNs;
        counters = new SenderCounters(host);
        agent = new SenderAgent(events, counters);
    }

    /** The sender's part. */
    public SenderAgent agent() {
        return agent;
    }

    /** Begins to send a publication's log. */
    public void add(OutboundStream stream) {
        ChannelUri channel = stream.channel();
        Shared shared = shared(route(stream), stream);
        Duration linger = channel.linger();
        boolean isGroup = shared.route.group() != null || shared.route.to() == null;
        SendStream sending =
                new SendStream(
                        stream,
                        options,
                        counters,
                        flowControl(channel, stream.senderPosition(), isGroup),
                        isGroup,
                        linger == null ? options.lingerNs() : linger.toNanos(),
                        nowNs);
        shared.streams++;
        streams.put(stream.registrationId(), sending);
        agent.commands().add(new SenderCommand.Add(shared.destination, sending));
    }

    private FlowControl flowControl(ChannelUri channel, long position, boolean isGroup) {
        OptionalLong tag = channel.flowControlTag();
        if (tag.isPresent()) {
            return new TaggedFlowControl(
                    position,
                    options.connectionTimeoutNs(),
                    channel.flowControlGroupSize(),
                    tag.getAsLong());
        }
        return channel.flowControl() != null && channel.flowControl().startsWith("min")
                ? new MinFlowControl(
                        position, options.connectionTimeoutNs(), channel.flowControlGroupSize())
                : new MaxFlowControl(position, options.connectionTimeoutNs(), isGroup);
    }

    private Route route(OutboundStream stream) {
        ChannelUri channel = stream.channel();
        if (channel.isDynamic()) {
            return new Route(
                    null,
                    Resolver.resolve(channel.control().host(), channel.control().port()),
                    null,
                    channel.ttl(),
                    0);
        }
        String local = channel.interfaceAddress();
        if (channel.isManual()) {
            return new Route(
                    null,
                    Resolver.resolve(local == null ? "0.0.0.0" : local, 0),
                    null,
                    channel.ttl(),
                    stream.registrationId());
        }
        InetSocketAddress to =
                Resolver.resolve(channel.endpoint().host(), channel.endpoint().port());
        Group group = Group.of(channel, to);
        if (group == null && channel.flowControl() != null) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has one receiver, for which there is no choice of flow control:"
                            + " remove fc");
        }
        InetSocketAddress from =
                Resolver.resolve(local != null ? local : isIpv6(to) ? "::" : "0.0.0.0", 0);
        checkFamily(channel, to, from);
        return new Route(to, from, group, channel.ttl(), 0);
    }

    private static boolean isIpv6(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address;
    }

    private static void checkFamily(
            ChannelUri channel, InetSocketAddress to, InetSocketAddress from) {
        if (isIpv6(to) != isIpv6(from)) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' mixes IPv4 and IPv6: name an interface address of the endpoint's"
                            + " family");
        }
    }

    private Shared shared(Route route, OutboundStream stream) {
        Shared shared = routes.get(route);
        if (shared == null) {
            shared = new Shared(route, open(route, stream));
            routes.put(route, shared);
            open.add(shared.destination);
            agent.commands().add(new SenderCommand.Attach(shared.destination));
        }
        return shared;
    }

    private Destination open(Route route, OutboundStream stream) {
        DatagramSocket socket = DatagramSocket.open(route.from());
        DatagramSocket control = socket;
        try {
            checkBuffer(socket.sendBuffer(options.sendBuffer()));
            if (route.group() != null) {
                socket.multicastFrom(route.group().local());
                control = DatagramSocket.join(route.group().control(), route.group().local());
            } else if (route.to() != null) {
                socket.connect(route.to());
            }
            if (route.ttl().isPresent() && route.group() != null) {
                socket.multicastTtl(route.ttl().getAsInt());
            } else if (route.ttl().isPresent()) {
                socket.ttl(route.ttl().getAsInt());
            }
            return new Destination(
                    socket,
                    control,
                    new SocketAddress(route.to() == null ? socket.localAddress() : route.to()),
                    receivers(route, stream),
                    agent,
                    counters,
                    events,
                    route.ttl().orElse(0),
                    options.gso() && canSegment(socket));
        } catch (BusException e) {
            socket.close();
            control.close();
            throw e;
        }
    }

    private void checkBuffer(int given) {
        if (given < Math.min(options.window(), options.sendBuffer())) {
            host.onError(
                    new TransportException(
                            "the kernel gives a send buffer of "
                                    + given
                                    + " bytes, less than the window of "
                                    + options.window()
                                    + ": raise net.core.wmem_max, or lower udp.window"));
        }
    }

    private Receivers receivers(Route route, OutboundStream stream) {
        if (route.to() != null) {
            return null;
        }
        return route.owner() != 0
                ? Receivers.manual(options.connectionTimeoutNs())
                : Receivers.dynamic(
                        options.maxReceivers(),
                        options.connectionTimeoutNs(),
                        host.counter(
                                stream,
                                CounterTypes.DESTINATIONS,
                                "receivers at " + SocketAddress.text(route.from())));
    }

    /** Sends a publication to one more destination. */
    public void addDestination(OutboundStream stream, ChannelUri channel) {
        InetSocketAddress to =
                Resolver.resolve(channel.endpoint().host(), channel.endpoint().port());
        if (to.getAddress().isMulticastAddress()) {
            throw new TransportException(
                    "destination '"
                            + channel
                            + "' is a multicast group: publish on verbus:udp?endpoint="
                            + channel.endpoint());
        }
        Route route = route(stream);
        checkFamily(channel, to, route.from());
        Destination destination = routes.get(route).destination;
        Receiver receiver = receiver(stream, channel, new SocketAddress(to));
        added.computeIfAbsent(destination, key -> new ArrayList<>())
                .add(new Added(channel, receiver));
        agent.commands().add(new SenderCommand.AddReceiver(destination, receiver));
    }

    private Receiver receiver(OutboundStream stream, ChannelUri channel, SocketAddress address) {
        AtomicCounter released =
                host.counter(
                        stream,
                        CounterTypes.DESTINATION_RELEASED,
                        "released by " + channel.endpoint());
        try {
            return new Receiver(
                    address,
                    released,
                    host.counter(
                            stream,
                            CounterTypes.DESTINATION_CONNECTED,
                            "connected to " + channel.endpoint()));
        } catch (BusException e) {
            released.close();
            throw e;
        }
    }

    /** Sends a publication to a destination no more. */
    public void removeDestination(OutboundStream stream, ChannelUri channel) {
        Destination destination = routes.get(route(stream)).destination;
        List<Added> there = added.getOrDefault(destination, List.of());
        for (Added each : there) {
            if (each.channel().endpoint().equals(channel.endpoint())) {
                there.remove(each);
                agent.commands()
                        .add(new SenderCommand.RemoveReceiver(destination, each.receiver()));
                return;
            }
        }
    }

    private boolean canSegment(DatagramSocket socket) {
        boolean can = socket.canSegment();
        if (!can) {
            host.onError(
                    new TransportException(
                            "this kernel does not cut joined datagrams apart (UDP_SEGMENT), so that"
                                    + " each costs its own way through it: use Linux 4.18 or later,"
                                    + " or set udp.gso=false"));
        }
        return can;
    }

    /** Ends a publication. */
    public void end(OutboundStream stream) {
        SendStream sending = streams.get(stream.registrationId());
        if (sending != null) {
            agent.commands().add(new SenderCommand.End(sending));
        }
    }

    /** The duty cycle. */
    public int work(long now) {
        nowNs = now;
        int work = 0;
        SenderEvent event;
        while ((event = events.poll()) != null) {
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
                leave(finished.destination());
                host.onPublicationReleased(stream);
            }
            case SenderEvent.Broken broken -> {
                host.onError(new BusException(broken.reason()));
                host.onPublicationFailed(broken.stream().stream(), false, broken.reason());
            }
            case SenderEvent.Refused refused ->
                    host.onError(
                            new TransportException(
                                    "the kernel refuses datagrams to "
                                            + refused.receiver()
                                            + " ("
                                            + SendBatch.errorText(refused.errno())
                                            + "): check the route there, the firewall, and that"
                                            + " mtu is not longer than the network takes"));
            case SenderEvent.Removed removed -> removed.receiver().closeCounters();
            case SenderEvent.Unjoined unjoined ->
                    host.onError(
                            new TransportException(
                                    "the kernel cannot cut joined datagrams apart on the way to "
                                            + unjoined.destination()
                                            + " ("
                                            + SendBatch.errorText(unjoined.errno())
                                            + "), so that each is sent by itself: lower mtu to what"
                                            + " the network takes, or set udp.gso=false"));
            case SenderEvent.Detached detached -> {
                close(detached.destination());
                open.remove(detached.destination());
            }
        }
    }

    /** The last stream to leave takes the destination with it; a new one opens another. */
    private void leave(Destination destination) {
        for (Shared shared : routes.values()) {
            if (shared.destination == destination) {
                shared.streams--;
                if (shared.streams == 0) {
                    routes.remove(shared.route);
                    agent.commands().add(new SenderCommand.Detach(destination));
                }
                return;
            }
        }
    }

    private void close(Destination destination) {
        destination.close();
        List<Added> there = added.remove(destination);
        if (there != null) {
            there.forEach(each -> each.receiver().closeCounters());
        }
    }

    /** Closes all that is open. The agents have stopped. */
    @Override
    public void close() {
        open.forEach(this::close);
        agent.close();
        counters.close();
    }
}
