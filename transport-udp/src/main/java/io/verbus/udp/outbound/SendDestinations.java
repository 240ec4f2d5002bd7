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

/** The destinations that are open, one for each route, and their sockets. Conductor's thread. */
final class SendDestinations implements AutoCloseable {
    /** A destination that streams share whose channels say the same of it, or lead to the same. */
    static final class Shared {
        private final SocketBuffers buffers;
        private final Destination destination;

        /** Streams that go by it, the oldest first. */
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

        /** The way there by now. */
        Route route() {
            return route;
        }

        SocketBuffers buffers() {
            return buffers;
        }

        /** The channel of its oldest stream, which errors name. There is a stream. */
        private ChannelUri channel() {
            return streams.getFirst().channel();
        }

        /** What names the address that is sent from; null if nothing does. */
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

    /** Those that one more stream may go by, by what channels say that led there. */
    private final Map<RouteNames, Shared> byNames = new HashMap<>();

    /** The same, by where those channels lead. */
    private final Map<Route, Shared> byRoute = new HashMap<>();

    /** Those that streams go by. */
    private final List<Shared> used = new ArrayList<>();

    /** Those whose sockets are open. */
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
     * One more stream comes: it shares the destination of others whose channels say the same of it,
     * wherever the names lead by now, or lead to the same.
     *
     * @throws TransportException if no socket can be opened for it, or it wants other buffers.
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

    /** A receiver that is silent may have moved; a group, or receivers that come, do not. */
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

    /** Another destination may be at the new address already. */
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

    /** Addresses or routes of this host have changed: whether nothing is left to do for it. */
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

    /** The name of the address that is sent from was looked up again. */
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
     * Goes on from the address, and on the interface, that the channel's names lead to by now;
     * false if that cannot be.
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
            return false; // nothing can be sent until there is an interface
        }
        InetAddress before = shared.destination.localHost();
        InetAddress from = route.from().getAddress();
        boolean isMoved = !from.equals(shared.route.from().getAddress());
        if (isMoved) {
            shared.destination.become(socket(route, shared.buffers, shared.channel()));
        }
        if (group != null) {
            DatagramSocket answers = DatagramSocket.join(group.control(), group.on());
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
                                + " are sent, and answered, on another interface now, or on one"
                                + " that was made anew: see that it leads to the receivers"));
    }

    /** Whether a socket that is bound to no address sends from where the route begins by now. */
    private boolean isRouted(Shared shared) {
        Route route = shared.route;
        if (!route.isConnected() || !route.isFromAnyAddress()) {
            return true;
        }
        InetAddress source;
        try {
            source = DatagramSocket.sourceTo(route.to());
        } catch (SocketException noRoute) {
            return false; // which the kernel's refusals to send tell
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
                                + " are sent from "
                                + source.getHostAddress()
                                + " now, since addresses or routes of this host have changed;"
                                + " before, from "
                                + before.getHostAddress()
                                + ": see that firewalls and udp.allow at the receivers let it"
                                + " through"));
    }

    /** Tells of an error at a destination; with no channel where it is about to be closed. */
    void onError(Destination destination, TransportException error) {
        for (Shared shared : used) {
            if (shared.destination == destination) {
                host.onError(shared.channel(), error);
                return;
            }
        }
        host.onError(error);
    }

    /** A stream has ended: the last takes the destination with it, and a new one opens another. */
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

    /** Closes a destination that the sender has let go of. */
    void close(Destination destination) {
        destination.close();
        open.remove(destination);
    }

    /** Closes all. The sender has stopped. */
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
                control = DatagramSocket.join(route.group().control(), route.group().on());
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

    /** A destination that the sender lets go of may still have the address. */
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
                            "the kernel gives a send buffer of "
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
                            "this kernel does not cut joined datagrams apart (UDP_SEGMENT), so that"
                                    + " each costs its own way through it: use Linux 4.18 or later,"
                                    + " or set udp.gso=false"));
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
