// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.PeerErrorLog;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.CarrierNotes;
import io.verbus.udp.common.Group;
import io.verbus.udp.common.MovedNames;
import io.verbus.udp.common.NetworkWatch;
import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.common.Resolver;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Conductor's part of the subscribing side: manages endpoints and images. Used by the conductor's
 * thread only.
 */
public final class InboundConductor implements InboundTransport, AutoCloseable {
    /** Maximum number of events per cycle, so that other work of the conductor is not delayed. */
    private static final int EVENTS_PER_CYCLE = 16;

    /**
     * Number of log bytes after which a cycle stops cleaning. Cleaning that many bytes takes tens
     * of microseconds.
     */
    private static final int CLEANED_PER_CYCLE = 512 * 1024;

    private final TransportHost host;
    private final Resolver resolver;
    private final UdpOptions options;
    private final CarrierNotes notes;
    private final ReceiverCounters counters;
    private final Queue<ReceiverEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private final ReceiverAgent agent;
    private final InboundSetups offers;
    private final MovedNames names;
    private final NetworkWatch network;
    private final List<UdpEndpoint> endpoints = new ArrayList<>();
    private final Map<Long, ReceiveImage> byId = new HashMap<>();
    private ReceiveImage[] images = new ReceiveImage[0];

    /** Index of the image whose log is cleaned first in the next cycle. */
    private int next;

    /**
     * Next receiver id; each endpoint has its own, so that senders can distinguish even the
     * endpoints of one driver.
     */
    private long nextReceiverId;

    private long nowNs;

    /**
     * @param host driver.
     * @param options options of the transport.
     * @param peerErrors rate-limited log of errors caused by peers.
     * @param nowNs monotonic time.
     */
    public InboundConductor(
            TransportHost host, UdpOptions options, PeerErrorLog peerErrors, long nowNs) {
        this.host = host;
        this.resolver = new Resolver(host);
        this.options = options;
        this.nowNs = nowNs;
        notes = new CarrierNotes(options);
        counters = new ReceiverCounters(host);
        nextReceiverId = host.driverId();
        agent = new ReceiverAgent(events, counters);
        names = new MovedNames(host, options.connectionTimeoutNs(), nowNs);
        network = new NetworkWatch(options.connectionTimeoutNs(), nowNs);
        offers = new InboundSetups(host, options, peerErrors, agent.commands(), this::receive);
    }

    /** Returns the receiver's part. */
    public ReceiverAgent agent() {
        return agent;
    }

    /**
     * Opens or joins an endpoint. Channels share an endpoint if they have equal names, even if
     * these resolve to other addresses now, or resolve to the same address.
     */
    @Override
    public InboundEndpoint openEndpoint(ChannelUri channel) {
        return open(channel, false);
    }

    @Override
    public InboundEndpoint openDestination(ChannelUri channel) {
        return open(channel, true);
    }

    private InboundEndpoint open(ChannelUri channel, boolean isDestination) {
        for (UdpEndpoint endpoint : endpoints) {
            if (endpoint.isNamed(channel) && endpoint.admits(isDestination)) {
                endpoint.requireControl(channel, () -> resolved(channel.control()));
                endpoint.use(isDestination);
                names.answered(endpoint);
                joinEndpoint(endpoint, channel);
                return endpoint;
            }
        }
        InetSocketAddress address = address(channel);
        Group group = Group.of(channel, address, resolver);
        InetSocketAddress control =
                channel.control() == null || group != null ? null : resolved(channel.control());
        for (UdpEndpoint endpoint : endpoints) {
            boolean isThere =
                    channel.hasEndpoint()
                            ? endpoint.isAt(address, group)
                            : endpoint.isAnonymous(control);
            if (isThere && endpoint.admits(isDestination)) {
                endpoint.requireControl(channel, () -> control);
                endpoint.use(isDestination);
                joinEndpoint(endpoint, channel);
                return endpoint;
            }
        }
        UdpEndpoint endpoint =
                new UdpEndpoint(
                        socket(address, group),
                        channel.hasEndpoint() ? address : null,
                        group,
                        control,
                        options,
                        counters,
                        agent,
                        events,
                        nextReceiverId++);
        endpoint.use(isDestination);
        try {
            endpoint.join(channel);
            endpoint.tellTime(channel, options.adapterTimestamps());
            checkBuffer(endpoint, channel);
            channel.datagrams().sendBuffer().ifPresent(endpoint::sendBuffer);
        } catch (TransportException e) {
            endpoint.close();
            throw e;
        }
        endpoints.add(endpoint);
        agent.commands().add(new ReceiverCommand.Attach(endpoint));
        if (channel.hasEndpoint()) {
            network.watch(endpoint, changedNs -> lookAgain(endpoint, channel));
        }
        if (control != null) {
            names.watch(
                    endpoint,
                    channel,
                    "control",
                    channel.control(),
                    control,
                    () -> !isUsed(endpoint),
                    to -> move(endpoint, to));
        }
        return endpoint;
    }

    /**
     * Looks up the names of a channel again after addresses of this host have changed. Returns
     * true: the check is done.
     */
    private boolean lookAgain(UdpEndpoint endpoint, ChannelUri channel) {
        resolver.lookUp(channel, channel.hostNames(), () -> located(endpoint, channel));
        return true;
    }

    private void located(UdpEndpoint endpoint, ChannelUri channel) {
        if (!endpoints.contains(endpoint)) {
            return;
        }
        InetSocketAddress before = endpoint.localAddress();
        try {
            InetSocketAddress named = address(channel);
            InetSocketAddress address = new InetSocketAddress(named.getAddress(), before.getPort());
            Group group = Group.of(channel, address, resolver);
            if (endpoint.isAt(address, group)) {
                return;
            }
            if (group != null && group.index() == 0) {
                network.checkAgain(endpoint); // there is no interface on which to join the group
                return;
            }
            if (group == null && isUsed(endpoint) && DatagramSocket.isLocal(before.getAddress())) {
                network.checkAgain(endpoint); // the old address is still valid
                return;
            }
            DatagramSocket socket = socket(address, group);
            if (endpoint.tellsTime()) {
                socket.tellTime(options.adapterTimestamps());
            }
            endpoint.become(socket, address, group);
        } catch (TransportException e) {
            host.onError(channel, e);
            return;
        }
        checkBuffer(endpoint, channel);
        channel.datagrams().sendBuffer().ifPresent(endpoint::sendBuffer);
        host.onLocalAddressChanged(endpoint);
        host.onError(
                channel,
                new TransportException(
                        "WARN: subscriptions to '"
                                + channel
                                + (endpoint.localAddress().equals(before)
                                        ? "' now receive on another interface, or on one that was"
                                                + " recreated"
                                        : "' now receive at "
                                                + endpoint.description()
                                                + " instead of "
                                                + Endpoint.text(before)
                                                + ", because addresses of this host have changed")
                                + ": check that publications send there"));
    }

    private boolean isUsed(UdpEndpoint endpoint) {
        return byId.values().stream().anyMatch(each -> each.endpoint() == endpoint);
    }

    private void move(UdpEndpoint endpoint, InetSocketAddress to) {
        endpoint.move(to);
        agent.commands().add(new ReceiverCommand.Move(endpoint, new SocketAddress(to)));
    }

    /** Joins an endpoint, which may be about to close. */
    @Override
    public void joinEndpoint(InboundEndpoint open, ChannelUri channel) {
        UdpEndpoint endpoint = (UdpEndpoint) open;
        endpoint.join(channel);
        endpoint.tellTime(channel, options.adapterTimestamps());
        checkBuffer(endpoint, channel);
        if (endpoint.isReopened()) {
            agent.commands().add(new ReceiverCommand.Attach(endpoint));
        }
    }

    /**
     * Returns the address to bind to; a publication with dynamic receivers learns the address from
     * the receivers' requests.
     */
    private InetSocketAddress address(ChannelUri channel) {
        if (channel.hasEndpoint()) {
            return resolver.resolve(channel.endpoint().host(), channel.endpoint().port());
        }
        if (channel.control() == null) {
            return resolver.resolve("0.0.0.0", 0);
        }
        boolean isIpv6 =
                resolver.resolve(channel.control().host(), 0).getAddress() instanceof Inet6Address;
        return resolver.resolve(isIpv6 ? "::" : "0.0.0.0", 0);
    }

    private InetSocketAddress resolved(Endpoint named) {
        return resolver.resolve(named.host(), named.port());
    }

    private DatagramSocket socket(InetSocketAddress address, Group group) {
        DatagramSocket socket =
                group == null
                        ? options.receiverPorts().open(address, DatagramSocket::open)
                        : DatagramSocket.join(group.data(), group.on());
        if (address.getAddress().isAnyLocalAddress()) {
            socket.tellLocal();
        }
        if (options.gro() && !socket.receiveJoined()) {
            host.onError(
                    new TransportException(
                            "this kernel cannot coalesce datagrams on arrival (UDP_GRO), so each"
                                + " datagram passes through the kernel separately: use Linux 5.0 or"
                                + " later, or set udp.gro=false"));
        }
        return socket;
    }

    private void checkBuffer(UdpEndpoint endpoint, ChannelUri channel) {
        int window = endpoint.terms().preferredWindow();
        int given = endpoint.receiveBuffer(endpoint.terms().preferredBuffer());
        if (given < window) {
            host.onError(
                    channel,
                    new TransportException(
                            "the kernel granted a receive buffer of "
                                    + given
                                    + " bytes at "
                                    + endpoint.description()
                                    + ", less than the window of "
                                    + window
                                    + ", so bursts will be lost and retransmitted: raise"
                                    + " net.core.rmem_max, or lower the window"));
        }
    }

    @Override
    public void closeEndpoint(InboundEndpoint endpoint) {
        UdpEndpoint left = (UdpEndpoint) endpoint;
        if (left.leave()) {
            agent.commands().add(new ReceiverCommand.Detach(left));
        }
    }

    @Override
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {
        agent.commands().add(new ReceiverCommand.Listen((UdpEndpoint) endpoint, streamId));
    }

    @Override
    public void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId) {
        agent.commands()
                .add(new ReceiverCommand.Await((UdpEndpoint) endpoint, streamId, sessionId));
    }

    @Override
    public void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId) {
        agent.commands()
                .add(new ReceiverCommand.Forget((UdpEndpoint) endpoint, streamId, sessionId));
    }

    @Override
    public void tellResponseSession(InboundImage image, Integer sessionId) {
        ReceiveImage receiving = byId.get(image.imageId());
        if (receiving != null) {
            agent.commands().add(new ReceiverCommand.Respond(receiving, sessionId));
        }
    }

    @Override
    public void closeImage(InboundImage image) {
        ReceiveImage receiving = byId.get(image.imageId());
        if (receiving != null) {
            agent.commands().add(new ReceiverCommand.Close(receiving, null));
        }
    }

    /** Closes an image once its sender has been notified and is quiet. */
    @Override
    public void stopImage(InboundImage image) {
        ReceiveImage receiving = byId.get(image.imageId());
        if (receiving != null) {
            agent.commands().add(new ReceiverCommand.Stop(receiving));
        }
    }

    @Override
    public void rejectImage(InboundImage image, String reason) {
        ReceiveImage receiving = byId.get(image.imageId());
        if (receiving != null) {
            agent.commands().add(new ReceiverCommand.Close(receiving, reason));
        }
    }

    /** Runs the duty cycle; returns the work count. */
    public int work(long now) {
        nowNs = now;
        int work = names.work(now) + network.work(now) + offers.work(now);
        ReceiverEvent event;
        for (int i = 0; i < EVENTS_PER_CYCLE && (event = events.poll()) != null; i++) {
            on(event);
            work++;
        }
        return work + clean(now);
    }

    private int clean(long now) {
        ReceiveImage[] all = images;
        int work = 0;
        for (int i = 0; i < all.length && work < CLEANED_PER_CYCLE; i++) {
            next = next + 1 < all.length ? next + 1 : 0;
            work += all[next].room().clean();
            all[next].losses().tell(host, now);
        }
        return work;
    }

    private void on(ReceiverEvent event) {
        switch (event) {
            case ReceiverEvent.Offered offered -> offers.onOffered(offered);
            case ReceiverEvent.Crowded crowded -> offers.onCrowded(crowded);
            case ReceiverEvent.NotAllowed stranger -> offers.onNotAllowed(stranger);
            case ReceiverEvent.Ended ended ->
                    host.onImageEnding(ended.image().image(), ended.finalPosition());
            case ReceiverEvent.Revoked revoked ->
                    host.onImageRevoked(revoked.image().image(), revoked.finalPosition());
            case ReceiverEvent.Lost lost -> host.onImageLost(lost.image().image(), lost.reason());
            case ReceiverEvent.Released released -> {
                InboundImage image = released.image().image();
                released.image().losses().tellAll(host);
                byId.remove(image.imageId());
                images = byId.values().toArray(new ReceiveImage[0]);
                offers.onReleased(image);
                host.onImageReleased(image);
            }
            case ReceiverEvent.Detached detached -> {
                if (detached.endpoint().onDetached()) {
                    names.forget(detached.endpoint());
                    network.forget(detached.endpoint());
                    detached.endpoint().close();
                    endpoints.remove(detached.endpoint());
                }
            }
            case ReceiverEvent.Untimed untimed ->
                    host.onError(
                            untimed.endpoint().channel(),
                            new TransportException(
                                    "WARN: datagrams at "
                                            + untimed.endpoint().description()
                                            + " have no timestamp from the network adapter, which"
                                            + " udp.media-timestamps=adapter requests, so messages"
                                            + " get the kernel's timestamps: enable the adapter's"
                                            + " timestamps (`ethtool -T INTERFACE` shows whether"
                                            + " the adapter supports them, `hwstamp_ctl -i"
                                            + " INTERFACE -r 1` enables them), or set"
                                            + " udp.media-timestamps=kernel"));
            case ReceiverEvent.Refused refused ->
                    host.onError(
                            refused.endpoint().channel(),
                            new TransportException(
                                    "the kernel refuses to send status messages from "
                                            + refused.endpoint().description()
                                            + " ("
                                            + SendBatch.errorText(refused.errno())
                                            + "): check the route to the sender and the firewall"));
        }
    }

    private void receive(ReceiverEvent.Offered offered, InboundImage image) {
        ReceiveImage receiving = new ReceiveImage(image, offered, options, counters, events, nowNs);
        offered.endpoint().tellTime(image.channel(), options.adapterTimestamps());
        EndpointTerms terms = offered.endpoint().terms();
        notes.receiving(
                image,
                terms.window(image.log().spec().termLength(), offered.mtu()),
                terms.buffers(),
                receiving.isGroup());
        byId.put(image.imageId(), receiving);
        images = byId.values().toArray(new ReceiveImage[0]);
        agent.commands().add(new ReceiverCommand.Accept(offered.endpoint(), receiving));
    }

    /** Closes everything. The agents must have stopped. */
    @Override
    public void close() {
        endpoints.forEach(UdpEndpoint::close);
        network.close();
        agent.close();
        counters.close();
    }
}
