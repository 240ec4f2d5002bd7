// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.Group;
import io.verbus.udp.common.MovedNames;
import io.verbus.udp.common.NetworkWatch;
import io.verbus.udp.common.Resolver;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.SocketBuffers;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.socket.SocketException;
import io.verbus.udp.socket.SourceFilter;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;

/** Open destinations, one per route, and their sockets. Used by the conductor's thread only. */
final class SendDestinations implements AutoCloseable {
    /**
     * Destination shared by streams whose channels have equal names or resolve to the same route.
     */
    static final class Shared {
        private final SocketBuffers buffers;
        private final Destination destination;

        /** Streams that use the destination, oldest first. */
        private final List<OutboundStream> streams = new ArrayList<>();

        private Route route;

        private Shared(Route route, SocketBuffers buffers, Destination destination) {
            this.route = route;
            this.buffers = buffers;
            this.destination = destination;
        }

        Destination destination() {
            return destination;
        }

        /** Returns the current route. */
        Route route() {
            return route;
        }

        SocketBuffers buffers() {
            return buffers;
        }

        /** Returns the channel of the oldest stream, which errors name. There must be a stream. */
        private ChannelUri channel() {
            return streams.getFirst().channel();
        }

        /** Returns the name of the local address; null if the channel has none. */
        private String from() {
            ChannelUri channel = channel();
            if (channel.control() != null && route.group() == null) {
                return channel.control().host();
            }
            return channel.interfaceAddress();
        }
    }

    private final TransportHost host;
    private final Resolver resolver;
    private final UdpOptions options;
    private final SenderCounters counters;
    private final SenderAgent agent;
    private final SourceFilter allowed;
    private final Queue<SenderEvent> events;

    /** Destinations that further streams may share, by unresolved names. */
    private final Map<RouteNames, Shared> byNames = new HashMap<>();

    /** The same destinations, by route. */
    private final Map<Route, Shared> byRoute = new HashMap<>();

    /** Destinations in use by streams. */
    private final List<Shared> used = new ArrayList<>();

    /** Destinations whose sockets are open. */
    private final List<Destination> open = new ArrayList<>();

    private final MovedNames names;
    private final NetworkWatch network;

    SendDestinations(
            TransportHost host,
            Resolver resolver,
            UdpOptions options,
            SenderCounters counters,
            SenderAgent agent,
            Queue<SenderEvent> events,
            MovedNames names,
            NetworkWatch network) {
        this.names = names;
        this.network = network;
        this.host = host;
        this.resolver = resolver;
        this.options = options;
        this.counters = counters;
        this.agent = agent;
        allowed = new SourceFilter(options.allow(), counters.notAllowed);
        this.events = events;
    }

    /**
     * Adds a stream. It shares the destination of streams whose channels have equal names, even if
     * these resolve to other addresses now, or resolve to the same route.
     *
     * @throws TransportException if no socket can be opened for it, or it requests other buffer
     *     sizes.
     */
    Shared enter(OutboundStream stream) {
        ChannelUri channel = stream.channel();
        RouteNames named = RouteNames.of(stream);
        Shared shared = byNames.get(named);
        Route route = shared == null ? Route.of(stream, resolver) : shared.route;
        if (shared == null) {
            shared = byRoute.get(route);
        } else {
            names.answered(shared.destination);
        }
        route.checkFlow(channel);
        SocketBuffers buffers =
                shared == null ? SocketBuffers.of(channel, options) : shared.buffers;
        buffers.requireRoom(channel, stream.log().spec().mtu());
        if (shared == null) {
            shared = new Shared(route, buffers, open(route, buffers, stream));
            byRoute.put(route, shared);
            used.add(shared);
            open.add(shared.destination);
            agent.commands().add(new SenderCommand.Attach(shared.destination));
            watch(shared, channel);
        } else {
            buffers.requireFit(channel, shared.destination.localAddress());
        }
        byNames.put(named, shared);
        shared.streams.add(stream);
        return shared;
    }

    /**
     * Watches names and networks of a destination. A single silent receiver may have moved; groups
     * and dynamic receivers do not.
     */
    private void watch(Shared shared, ChannelUri channel) {
        network.watch(shared.destination, changedNs -> isSettled(shared, changedNs));
        if (shared.route.to() == null || shared.route.group() != null) {
            return;
        }
        long[] heardNs = {shared.destination.heardNs()};
        names.watch(
                shared.destination,
                channel,
                "endpoint",
                channel.endpoint(),
                shared.route.to(),
                () -> {
                    long before = heardNs[0];
                    heardNs[0] = shared.destination.heardNs();
                    return heardNs[0] == before;
                },
                to -> move(shared, to));
    }

    /** Moves a destination to a new address, which another destination may use already. */
    private void move(Shared shared, InetSocketAddress to) {
        if (shared.route.isFromAnyAddress()) {
            DatagramSocket.sourceTo(to); // throws if no route leads there
        }
        lead(shared, shared.route.to(to));
        agent.commands().add(new SenderCommand.Move(shared.destination, to));
    }

    private void lead(Shared shared, Route route) {
        byRoute.remove(shared.route, shared);
        shared.route = route;
        byRoute.putIfAbsent(route, shared);
    }

    /** Handles changes of local addresses or routes; returns whether nothing is left to do. */
    private boolean isSettled(Shared shared, long changedNs) {
        long heardNs = shared.destination.heardNs();
        if (heardNs != 0 && heardNs - changedNs > 0) {
            return true;
        }
        String from = shared.from();
        if (from == null) {
            return isAsNamed(shared, shared.route.from().getAddress()) && isRouted(shared);
        }
        resolver.lookUp(shared.channel(), List.of(from), () -> located(shared, from));
        return true;
    }

    /** Handles the result of a lookup of the local address. */
    private void located(Shared shared, String name) {
        if (shared.streams.isEmpty()) {
            return;
        }
        InetAddress from = host.address(name, 0).getAddress();
        boolean isSettled = from != null && isAsNamed(shared, from) && isRouted(shared);
        if (!isSettled) {
            network.checkAgain(shared.destination);
        }
    }

    /**
     * Rebinds a destination to the current address and interface of its channel's names; returns
     * false if that fails.
     */
    private boolean isAsNamed(Shared shared, InetAddress from) {
        Route before = shared.route;
        boolean isSameAddress = from.equals(before.from().getAddress());
        try {
            Group group =
                    before.group() == null
                            ? null
                            : Group.of(shared.channel(), before.to(), resolver);
            if (isSameAddress && Objects.equals(group, before.group())) {
                return true;
            }
            return goOn(shared, before.from(from, group));
        } catch (TransportException e) {
            host.onError(shared.channel(), e);
            return false;
        }
    }

    private boolean goOn(Shared shared, Route route) {
        Group group = route.group();
        if (group != null && group.index() == 0) {
            return false; // nothing can be sent while there is no interface
        }
        InetAddress before = shared.destination.localHost();
        InetAddress from = route.from().getAddress();
        boolean isMoved = !from.equals(shared.route.from().getAddress());
        if (isMoved) {
            shared.destination.become(socket(route, shared.buffers, shared.channel()));
        }
        if (group != null) {
            DatagramSocket answers = group.joinControl();
            shared.destination.regroup(group.on(), answers);
        }
        lead(shared, route);
        agent.commands().add(new SenderCommand.Renew(shared.destination));
        if (isMoved) {
            onSource(shared, before, from);
        } else {
            onInterface(shared);
        }
        return true;
    }

    private void onInterface(Shared shared) {
        host.onError(
                shared.channel(),
                new TransportException(
                        "WARN: publications to "
                                + shared.destination
                                + " now use another interface, or one that was recreated: check"
                                + " that the interface leads to the receivers"));
    }

    /** Makes an unbound socket use the current route; returns whether that succeeded. */
    private boolean isRouted(Shared shared) {
        Route route = shared.route;
        if (!route.isConnected() || !route.isFromAnyAddress()) {
            return true;
        }
        InetAddress source;
        try {
            source = DatagramSocket.sourceTo(route.to());
        } catch (SocketException noRoute) {
            return false; // reported when the kernel rejects datagrams
        }
        InetAddress before = shared.destination.localHost();
        if (!source.equals(before)) {
            agent.commands().add(new SenderCommand.Move(shared.destination, route.to()));
            onSource(shared, before, source);
        }
        return true;
    }

    private void onSource(Shared shared, InetAddress before, InetAddress source) {
        host.onError(
                shared.channel(),
                new TransportException(
                        "WARN: publications to "
                                + shared.destination
                                + " are now sent from "
                                + source.getHostAddress()
                                + " instead of "
                                + before.getHostAddress()
                                + ", because addresses or routes of this host have changed: check"
                                + " that firewalls and the receivers' udp.allow permit the new"
                                + " address"));
    }

    /** Reports an error at a destination, without a channel if it is about to be closed. */
    void onError(Destination destination, TransportException error) {
        for (Shared shared : used) {
            if (shared.destination == destination) {
                host.onError(shared.channel(), error);
                return;
            }
        }
        host.onError(error);
    }

    /**
     * Removes a stream. Removing the last stream closes the destination, which new streams then
     * cannot share.
     */
    void leave(OutboundStream stream, Destination destination) {
        for (Shared shared : used) {
            if (shared.destination == destination) {
                shared.streams.remove(stream);
                if (shared.streams.isEmpty()) {
                    names.forget(destination);
                    network.forget(destination);
                    used.remove(shared);
                    byNames.values().removeIf(each -> each == shared);
                    byRoute.remove(shared.route, shared);
                    destination.leave();
                    agent.commands().add(new SenderCommand.Detach(destination));
                }
                return;
            }
        }
    }

    /** Closes a destination that the sender has detached. */
    void close(Destination destination) {
        destination.close();
        open.remove(destination);
    }

    /** Closes all destinations. The sender must have stopped. */
    @Override
    public void close() {
        open.forEach(Destination::close);
        open.clear();
    }

    private Destination open(Route route, SocketBuffers buffers, OutboundStream stream) {
        DatagramSocket socket = socket(route, buffers, stream.channel());
        DatagramSocket control = socket;
        try {
            if (route.group() != null) {
                control = route.group().joinControl();
            }
            return new Destination(
                    socket,
                    control,
                    new SocketAddress(route.to() == null ? socket.localAddress() : route.to()),
                    route.owner() == 0
                            ? null
                            : RemoteReceivers.manual(options.connectionTimeoutNs()),
                    known(route, stream),
                    agent,
                    allowed,
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

    /**
     * Binds a socket, possibly to the address of a destination that the sender is still detaching.
     */
    private DatagramSocket bind(InetSocketAddress from) {
        for (Destination each : open) {
            if (each.isClosingAt(from)) {
                return DatagramSocket.openAfter(from);
            }
        }
        return DatagramSocket.open(from);
    }

    private DatagramSocket socket(Route route, SocketBuffers buffers, ChannelUri channel) {
        DatagramSocket socket =
                channel.control() == null
                        ? bind(route.from())
                        : options.senderPorts().open(route.from(), this::bind);
        try {
            checkBuffer(channel, socket.sendBuffer(buffers.send()), buffers.send());
            if (channel.datagrams().receiveBuffer().isPresent()) {
                socket.receiveBuffer(buffers.receive());
            }
            if (route.group() != null) {
                socket.multicastFrom(route.group().on());
            } else if (route.to() != null) {
                socket.connect(route.to());
            } else if (route.isFromAnyAddress()) {
                socket.tellLocal();
            }
            if (route.ttl().isPresent() && route.group() != null) {
                socket.multicastTtl(route.ttl().getAsInt());
            } else if (route.ttl().isPresent()) {
                socket.ttl(route.ttl().getAsInt());
            }
            return socket;
        } catch (BusException e) {
            socket.close();
            throw e;
        }
    }

    private void checkBuffer(ChannelUri channel, int given, int asked) {
        if (given < Math.min(options.window(), asked)) {
            host.onError(
                    channel,
                    new TransportException(
                            "the kernel granted a send buffer of "
                                    + given
                                    + " bytes, less than the window of "
                                    + options.window()
                                    + ": raise net.core.wmem_max, or lower udp.window"));
        }
    }

    private boolean canSegment(DatagramSocket socket) {
        boolean can = socket.canSegment();
        if (!can) {
            host.onError(
                    new TransportException(
                            "this kernel cannot segment coalesced datagrams (UDP_SEGMENT), so each"
                                + " datagram passes through the kernel separately: use Linux 4.18"
                                + " or later, or set udp.gso=false"));
        }
        return can;
    }

    private KnownReceivers known(Route route, OutboundStream stream) {
        return route.isDynamic()
                ? new KnownReceivers(
                        host.counter(stream, CounterTypes.DESTINATIONS, "mdc-num-dest"))
                : null;
    }
}
