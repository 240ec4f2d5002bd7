// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.BusException;
import io.verbus.ChannelUri;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.SetupAnswer;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.udp.link.Group;
import io.verbus.udp.link.ReceiverCounters;
import io.verbus.udp.link.Resolver;
import io.verbus.udp.link.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SendBatch;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** The conductor's part of the subscribing side: endpoints and images. Conductor's thread. */
public final class InboundConductor implements AutoCloseable {
    private final TransportHost host;
    private final Resolver resolver;
    private final UdpOptions options;
    private final ReceiverCounters counters;
    private final Queue<ReceiverEvent> events = new ManyToOneConcurrentLinkedQueue<>();
    private final ReceiverAgent agent;
    private final List<ReceiveEndpoint> endpoints = new ArrayList<>();
    private final Map<Long, ReceiveImage> byId = new HashMap<>();
    private ReceiveImage[] images = new ReceiveImage[0];

    /** One for each endpoint: a sender tells receivers apart by it, also those of one driver. */
    private long nextReceiverId;

    private long nowNs;

    /**
     * @param host the driver.
     * @param options of the transport.
     * @param nowNs monotonic time.
     */
    public InboundConductor(TransportHost host, UdpOptions options, long nowNs) {
        this.host = host;
        this.resolver = new Resolver(host);
        this.options = options;
        this.nowNs = nowNs;
        counters = new ReceiverCounters(host);
        nextReceiverId = host.driverId();
        agent = new ReceiverAgent(events, counters);
    }

    /** The receiver's part. */
    public ReceiverAgent agent() {
        return agent;
    }

    /** Opens or joins the endpoint of a channel. */
    public InboundEndpoint open(ChannelUri channel) {
        InetSocketAddress address =
                resolver.resolve(channel.endpoint().host(), channel.endpoint().port());
        Group group = Group.of(channel, address, resolver);
        InetSocketAddress control = control(channel, group);
        for (ReceiveEndpoint endpoint : endpoints) {
            if (endpoint.isAt(address, group)) {
                endpoint.requireControl(channel, control);
                endpoint.join(channel);
                checkBuffer(endpoint);
                if (endpoint.isReopened()) {
                    agent.commands().add(new ReceiverCommand.Attach(endpoint));
                }
                return endpoint;
            }
        }
        ReceiveEndpoint endpoint =
                new ReceiveEndpoint(
                        socket(address, group),
                        address,
                        group,
                        control,
                        options,
                        counters,
                        agent,
                        events,
                        nextReceiverId++);
        endpoint.join(channel);
        try {
            checkBuffer(endpoint);
        } catch (TransportException e) {
            endpoint.close();
            throw e;
        }
        endpoints.add(endpoint);
        agent.commands().add(new ReceiverCommand.Attach(endpoint));
        return endpoint;
    }

    private InetSocketAddress control(ChannelUri channel, Group group) {
        if (channel.control() == null) {
            return null;
        }
        if (group != null) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has both a multicast group and control: remove control, since a"
                            + " group has its own, or name an address of this host as endpoint");
        }
        return resolver.resolve(channel.control().host(), channel.control().port());
    }

    private DatagramSocket socket(InetSocketAddress address, Group group) {
        DatagramSocket socket =
                group == null
                        ? DatagramSocket.open(address)
                        : DatagramSocket.join(group.data(), group.local());
        if (options.gro() && !socket.receiveJoined()) {
            host.onError(
                    new TransportException(
                            "this kernel does not join datagrams on arrival (UDP_GRO), so that each"
                                + " costs its own way through it: use Linux 5.0 or later, or set"
                                + " udp.gro=false"));
        }
        return socket;
    }

    private void checkBuffer(ReceiveEndpoint endpoint) {
        int window = endpoint.terms().preferredWindow();
        int given = endpoint.receiveBuffer(Math.max(options.receiveBuffer(), window));
        if (given < window) {
            host.onError(
                    new TransportException(
                            "the kernel gives a receive buffer of "
                                    + given
                                    + " bytes at "
                                    + endpoint.description()
                                    + ", less than the window of "
                                    + window
                                    + ", so that bursts are lost and sent again: raise"
                                    + " net.core.rmem_max, or lower the window"));
        }
    }

    /** Leaves an endpoint. */
    public void leave(InboundEndpoint endpoint) {
        ReceiveEndpoint left = (ReceiveEndpoint) endpoint;
        if (left.leave()) {
            agent.commands().add(new ReceiverCommand.Detach(left));
        }
    }

    /** A subscription has come. */
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {
        agent.commands().add(new ReceiverCommand.Listen((ReceiveEndpoint) endpoint, streamId));
    }

    /** Stops receiving an image. */
    public void closeImage(InboundImage image) {
        ReceiveImage receiving = byId.get(image.imageId());
        if (receiving != null) {
            agent.commands().add(new ReceiverCommand.Close(receiving));
        }
    }

    /** The duty cycle. */
    public int work(long now) {
        nowNs = now;
        int work = 0;
        ReceiverEvent event;
        while ((event = events.poll()) != null) {
            on(event);
            work++;
        }
        ReceiveImage[] all = images;
        for (int i = 0; i < all.length; i++) {
            work += all[i].clean();
            all[i].losses().tell(host, now);
        }
        return work;
    }

    private void on(ReceiverEvent event) {
        switch (event) {
            case ReceiverEvent.Offered offered -> accept(offered);
            case ReceiverEvent.Ended ended -> {
                InboundImage image = ended.image().image();
                image.log()
                        .metadata()
                        .putLongRelease(LogLayout.END_OF_STREAM, ended.finalPosition());
                host.onImageEnding(image, ended.finalPosition());
            }
            case ReceiverEvent.Lost lost -> host.onImageLost(lost.image().image(), lost.reason());
            case ReceiverEvent.Released released -> {
                InboundImage image = released.image().image();
                released.image().losses().tellAll(host);
                byId.remove(image.imageId());
                images = byId.values().toArray(new ReceiveImage[0]);
                host.onImageReleased(image);
            }
            case ReceiverEvent.Detached detached -> {
                if (detached.endpoint().onDetached()) {
                    detached.endpoint().close();
                    endpoints.remove(detached.endpoint());
                }
            }
            case ReceiverEvent.Refused refused ->
                    host.onError(
                            new TransportException(
                                    "the kernel refuses status messages from "
                                            + refused.endpoint()
                                            + " ("
                                            + SendBatch.errorText(refused.errno())
                                            + "): check the route to the sender and the"
                                            + " firewall"));
        }
    }

    private void accept(ReceiverEvent.Offered offered) {
        boolean isWanted =
                host.onSetup(
                        offered.endpoint(),
                        new ImageSetup(
                                offered.sessionId(),
                                offered.streamId(),
                                offered.initialTermId(),
                                offered.termLength(),
                                offered.mtu(),
                                offered.position(),
                                offered.source().toString()),
                        new SetupAnswer() {
                            @Override
                            public void onImage(InboundImage image) {
                                receive(offered, image);
                            }

                            @Override
                            public void onUnwanted() {
                                refuse(offered);
                            }

                            @Override
                            public void onFailed(String reason) {
                                host.onError(new BusException(reason));
                                refuse(offered);
                            }
                        });
        if (!isWanted) {
            refuse(offered);
        }
    }

    private void receive(ReceiverEvent.Offered offered, InboundImage image) {
        ReceiveImage receiving = new ReceiveImage(image, offered, options, counters, events, nowNs);
        byId.put(image.imageId(), receiving);
        images = byId.values().toArray(new ReceiveImage[0]);
        agent.commands().add(new ReceiverCommand.Accept(offered.endpoint(), receiving));
    }

    private void refuse(ReceiverEvent.Offered offered) {
        agent.commands()
                .add(
                        new ReceiverCommand.Refuse(
                                offered.endpoint(), offered.streamId(), offered.sessionId()));
    }

    /** Closes all that is open. The agents have stopped. */
    @Override
    public void close() {
        endpoints.forEach(ReceiveEndpoint::close);
        agent.close();
        counters.close();
    }
}
