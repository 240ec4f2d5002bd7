// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.BusException;
import io.verbus.ChannelUri;
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
    private record Route(
            InetSocketAddress to, InetSocketAddress from, Group group, OptionalInt ttl) {}

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
    private final SenderAgent agent = new SenderAgent(events);
    private final Map<Route, Shared> routes = new HashMap<>();
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
    }

    /** The sender's part. */
    public SenderAgent agent() {
        return agent;
    }

    /** Begins to send a publication's log. */
    public void add(OutboundStream stream) {
        ChannelUri channel = stream.channel();
        Shared shared = route(channel);
        Duration linger = channel.linger();
        boolean isGroup = shared.route.group() != null;
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
            return new TaggedFlowControl(position, options.connectionTimeoutNs(), tag.getAsLong());
        }
        return "min".equals(channel.flowControl())
                ? new MinFlowControl(position, options.connectionTimeoutNs())
                : new MaxFlowControl(position, options.connectionTimeoutNs(), isGroup);
    }

    private Shared route(ChannelUri channel) {
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
        boolean isIpv6 = to.getAddress() instanceof Inet6Address;
        String local = channel.interfaceAddress();
        InetSocketAddress from =
                Resolver.resolve(local != null ? local : isIpv6 ? "::" : "0.0.0.0", 0);
        if (isIpv6 != from.getAddress() instanceof Inet6Address) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' mixes IPv4 and IPv6: name an interface address of the endpoint's"
                            + " family");
        }
        Route route = new Route(to, from, group, channel.ttl());
        Shared shared = routes.get(route);
        if (shared == null) {
            shared = new Shared(route, open(route));
            routes.put(route, shared);
            open.add(shared.destination);
            agent.commands().add(new SenderCommand.Attach(shared.destination));
        }
        return shared;
    }

    private Destination open(Route route) {
        DatagramSocket socket = DatagramSocket.open(route.from());
        DatagramSocket control = socket;
        try {
            int given = socket.sendBuffer(options.sendBuffer());
            if (given < Math.min(options.window(), options.sendBuffer())) {
                host.onError(
                        new TransportException(
                                "the kernel gives a send buffer of "
                                        + given
                                        + " bytes, less than the window of "
                                        + options.window()
                                        + ": raise net.core.wmem_max, or lower udp.window"));
            }
            if (route.group() == null) {
                socket.connect(route.to());
            } else {
                socket.multicastFrom(route.group().local());
                control = DatagramSocket.join(route.group().control(), route.group().local());
            }
            if (route.ttl().isPresent() && route.group() != null) {
                socket.multicastTtl(route.ttl().getAsInt());
            } else if (route.ttl().isPresent()) {
                socket.ttl(route.ttl().getAsInt());
            }
        } catch (TransportException e) {
            socket.close();
            control.close();
            throw e;
        }
        return new Destination(
                socket,
                control,
                new SocketAddress(route.to()),
                agent,
                counters,
                events,
                route.ttl().orElse(0));
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
                                            + refused.destination()
                                            + " ("
                                            + SendBatch.errorText(refused.errno())
                                            + "): check the route there, the firewall, and that"
                                            + " mtu is not longer than the network takes"));
            case SenderEvent.Detached detached -> {
                detached.destination().close();
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

    /** Closes all that is open. The agents have stopped. */
    @Override
    public void close() {
        open.forEach(Destination::close);
        agent.close();
        counters.close();
    }
}
