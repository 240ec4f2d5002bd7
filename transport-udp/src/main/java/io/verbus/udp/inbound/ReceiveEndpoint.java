// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TransportException;
import io.verbus.udp.common.Group;
import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SocketAddress;

import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Where a driver receives, as the conductor has it: an address, its socket, and what the
 * subscriptions there want. What arrives is the {@link #receiver}'s.
 */
final class ReceiveEndpoint implements InboundEndpoint {
    /** An address of this host, or a group and an interface, in a channel's words. */
    private record Place(Endpoint endpoint, LocalInterface on) {}

    private final DatagramSocket socket;
    private final boolean isAnonymous;

    /** What channels say that led here. */
    private final Set<Place> places = new HashSet<>();

    /** What channels say of where the publication is asked. */
    private final Set<Endpoint> controls = new HashSet<>();

    /** The channel of the first subscription, which errors name. */
    private ChannelUri channel;

    private InetSocketAddress requested;
    private Group group;

    /** Where a publication is asked, whose receivers come by themselves; or null. */
    private InetSocketAddress publication;

    private final long receiverId;
    private final EndpointTerms terms;
    private final ControlSender sender;
    private final EndpointReceiver receiver;
    private int detaching;

    /** Whether it is a destination of one subscription, so that no other may join. */
    private boolean isDestination;

    ReceiveEndpoint(
            DatagramSocket socket,
            InetSocketAddress requested,
            Group group,
            InetSocketAddress publication,
            UdpOptions options,
            ReceiverCounters counters,
            ReceiverAgent agent,
            Queue<ReceiverEvent> events,
            long receiverId) {
        this.socket = socket;
        isAnonymous = requested == null;
        this.requested =
                isAnonymous || requested.getPort() == 0 ? socket.localAddress() : requested;
        this.group = group;
        this.publication = publication;
        this.receiverId = receiverId;
        terms = new EndpointTerms(options);
        sender = new ControlSender(this, socket, agent.outgoing(), counters, events);
        receiver =
                new EndpointReceiver(
                        this, socket, agent.incoming(), sender, options, counters, events);
    }

    @Override
    public String description() {
        return SocketAddress.text(socket.localAddress());
    }

    /** The channel of the first of its subscriptions. */
    ChannelUri channel() {
        return channel;
    }

    /** The receiver's part. */
    EndpointReceiver receiver() {
        return receiver;
    }

    /** What answers to senders go out by. */
    ControlSender sender() {
        return sender;
    }

    /** By which senders tell this receiver from others. */
    long receiverId() {
        return receiverId;
    }

    /** Whether a multicast group is received here. */
    boolean isGroup() {
        return group != null;
    }

    /**
     * Where senders are answered, wherever they send from; null if that is where they send from.
     */
    SocketAddress control() {
        if (publication != null) {
            return new SocketAddress(publication);
        }
        return group == null ? null : new SocketAddress(group.control());
    }

    /** Whether a publication is to be asked for its streams, at the control address. */
    boolean isAsking() {
        return publication != null;
    }

    /** The publication, whose name a subscription knows, is asked at another address. */
    void move(InetSocketAddress to) {
        publication = to;
    }

    /** Whether a channel says the same as one that led here, wherever its names lead by now. */
    boolean isNamed(ChannelUri channel) {
        return channel.hasEndpoint()
                ? places.contains(place(channel))
                : isAnonymous && controls.contains(channel.control());
    }

    private Place place(ChannelUri channel) {
        return new Place(channel.endpoint(), group == null ? null : channel.localInterface());
    }

    /** Whether no channel names the address, and that publication is asked. */
    boolean isAnonymous(InetSocketAddress asked) {
        return isAnonymous && Objects.equals(publication, asked);
    }

    boolean isAt(InetSocketAddress address, Group otherGroup) {
        return requested.equals(address) && Objects.equals(group, otherGroup);
    }

    /** Whether it can be used: one that closes by anything, else by subscriptions that share it. */
    boolean admits(boolean asDestination) {
        return terms.users() == 0 || !isDestination && !asDestination;
    }

    /** Uses it as a destination of one subscription, or for subscriptions that share it. */
    void use(boolean asDestination) {
        isDestination = asDestination;
    }

    /**
     * Receives at another address of this host, or on another interface.
     *
     * @param other socket that is bound there.
     */
    void become(DatagramSocket other, InetSocketAddress address, Group newGroup) {
        socket.become(other);
        requested = address;
        group = newGroup;
    }

    /** Local address and port. */
    InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    /**
     * A subscription comes.
     *
     * @throws TransportException if it wants the endpoint to be other than those before.
     */
    void join(ChannelUri joining) {
        terms.join(joining, description());
        if (terms.users() == 1) {
            channel = joining;
        }
        if (joining.hasEndpoint() && joining.endpoint().port() != 0) {
            places.add(place(joining));
        }
        if (publication != null) {
            controls.add(joining.control());
        }
    }

    /** A subscription goes; whether it was the last. */
    boolean leave() {
        boolean wasLast = terms.leave();
        detaching += wasLast ? 1 : 0;
        return wasLast;
    }

    /** The receiver has let go once; whether it is for good. */
    boolean onDetached() {
        detaching--;
        return detaching == 0 && terms.users() == 0;
    }

    /** Whether the receiver is to use it again, having been told to let go. */
    boolean isReopened() {
        return terms.users() == 1;
    }

    /** What the subscriptions have agreed upon. */
    EndpointTerms terms() {
        return terms;
    }

    /** Asks for a send buffer, in bytes. */
    void sendBuffer(int bytes) {
        socket.sendBuffer(bytes);
    }

    /** Asks for a receive buffer, in bytes; returns what the kernel gives. */
    int receiveBuffer(int bytes) {
        return socket.receiveBuffer(bytes);
    }

    /**
     * A subscription names where its publication is to be asked.
     *
     * @param resolved where its control leads, which need not be known if another subscription says
     *     the same.
     * @throws TransportException if another subscription here asks elsewhere.
     */
    void requireControl(ChannelUri channel, Supplier<InetSocketAddress> resolved) {
        Endpoint wanted = group == null ? channel.control() : null;
        boolean isSame =
                wanted == null || publication == null
                        ? wanted == null && publication == null
                        : controls.contains(wanted) || publication.equals(resolved.get());
        if (!isSame) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has "
                            + (wanted == null ? "no control" : "another control")
                            + " than another subscription at "
                            + description()
                            + ": use one control for all subscriptions at an endpoint, or another"
                            + " endpoint");
        }
    }

    void close() {
        socket.close();
    }
}
