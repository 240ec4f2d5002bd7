// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.MovedNames;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.SocketBuffers;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.socket.SourceFilter;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** The destinations that are open, one for each route, and their sockets. Conductor's thread. */
final class SendDestinations {
    private static final class Shared {
        Route route;
        final SocketBuffers buffers;
        final Destination destination;
        int streams;

        Shared(Route route, SocketBuffers buffers, Destination destination) {
            this.route = route;
            this.buffers = buffers;
            this.destination = destination;
        }
    }

    private final TransportHost host;
    private final UdpOptions options;
    private final SenderCounters counters;
    private final SenderAgent agent;
    private final SourceFilter allowed;
    private final Queue<SenderEvent> events;

    /** Those that one more stream may go by. */
    private final Map<Route, Shared> byRoute = new HashMap<>();

    /** Those that streams go by. */
    private final List<Shared> used = new ArrayList<>();

    /** Those whose sockets are open. */
    private final List<Destination> open = new ArrayList<>();

    private final MovedNames names;

    SendDestinations(
            TransportHost host,
            UdpOptions options,
            SenderCounters counters,
            SenderAgent agent,
            Queue<SenderEvent> events,
            MovedNames names) {
        this.names = names;
        this.host = host;
        this.options = options;
        this.counters = counters;
        this.agent = agent;
        allowed = new SourceFilter(options.allow(), counters.notAllowed);
        this.events = events;
    }

    /**
     * One more stream goes by a route.
     *
     * @throws TransportException if no socket can be opened for it, or it wants other buffers.
     */
    Destination enter(Route route, OutboundStream stream) {
        ChannelUri channel = stream.channel();
        Shared shared = byRoute.get(route);
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
        shared.streams++;
        return shared.destination;
    }

    /** A receiver that is silent may have moved; a group, or receivers that come, do not. */
    private void watch(Shared shared, ChannelUri channel) {
        if (shared.route.to() == null || shared.route.group() != null) {
            return;
        }
        long[] heardNs = {shared.destination.heardNs()};
        names.watch(
                shared.destination,
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

    /** Streams that were added since may have a destination at the new address already. */
    private void move(Shared shared, InetSocketAddress to) {
        byRoute.remove(shared.route, shared);
        shared.route = shared.route.to(to);
        byRoute.putIfAbsent(shared.route, shared);
        agent.commands().add(new SenderCommand.Move(shared.destination, to));
    }

    /** The destination of a route that a stream goes by. */
    Destination at(Route route) {
        return byRoute.get(route).destination;
    }

    /** Buffers of the socket of a route that a stream goes by. */
    SocketBuffers buffers(Route route) {
        return byRoute.get(route).buffers;
    }

    /** A stream has ended: the last takes the destination with it, and a new one opens another. */
    void leave(Destination destination) {
        for (Shared shared : used) {
            if (shared.destination == destination) {
                shared.streams--;
                if (shared.streams == 0) {
                    names.forget(destination);
                    used.remove(shared);
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
    void closeAll() {
        open.forEach(Destination::close);
        open.clear();
    }

    private Destination open(Route route, SocketBuffers buffers, OutboundStream stream) {
        DatagramSocket socket =
                stream.channel().control() == null
                        ? bind(route.from())
                        : options.senderPorts().open(route.from(), this::bind);
        DatagramSocket control = socket;
        try {
            checkBuffer(socket.sendBuffer(buffers.send()), buffers.send());
            if (stream.channel().datagrams().receiveBuffer().isPresent()) {
                socket.receiveBuffer(buffers.receive());
            }
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

    private void checkBuffer(int given, int asked) {
        if (given < Math.min(options.window(), asked)) {
            host.onError(
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
