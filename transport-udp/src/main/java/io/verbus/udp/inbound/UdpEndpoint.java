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
 * The conductor's view of an endpoint: its address and socket, and the requirements of its
 * subscriptions. Incoming datagrams are handled by the {@link #receiver}.
 */
final class UdpEndpoint implements InboundEndpoint {
    /** Unresolved address: a host and port of this host, or a group and an interface. */
    private record Place(Endpoint endpoint, LocalInterface on) {}

    private final DatagramSocket socket;
    private final boolean isAnonymous;

    /** Unresolved addresses of the channels that share this endpoint. */
    private final Set<Place> places = new HashSet<>();

    /** Unresolved control addresses of the channels that share this endpoint. */
    private final Set<Endpoint> controls = new HashSet<>();

    /** The channel of the first subscription, named in errors. */
    private ChannelUri channel;

    private InetSocketAddress requested;
    private Group group;

    /** Control address of a publication with dynamic receivers; or null. */
    private InetSocketAddress publication;

    private final long receiverId;
    private final EndpointTerms terms;
    private final ControlSender sender;
    private final EndpointPoller receiver;
    private int detaching;

    /**
     * Whether the endpoint is a destination of one subscription, which no other subscription may
     * join.
     */
    private boolean isDestination;

    UdpEndpoint(
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
                new EndpointPoller(
                        this, socket, agent.incoming(), sender, options, counters, events);
    }

    @Override
    public String description() {
        return Endpoint.text(socket.localAddress());
    }

    /** Returns the channel of the first of its subscriptions. */
    ChannelUri channel() {
        return channel;
    }

    /** Returns the receiver's part. */
    EndpointPoller receiver() {
        return receiver;
    }

    /** Returns the sender of control frames. */
    ControlSender sender() {
        return sender;
    }

    /** Returns the id by which senders identify this receiver. */
    long receiverId() {
        return receiverId;
    }

    /** Returns whether this is a multicast endpoint. */
    boolean isGroup() {
        return group != null;
    }

    /** Returns the address at which to respond to senders; null to use their source addresses. */
    SocketAddress control() {
        if (publication != null) {
            return new SocketAddress(publication);
        }
        return group == null ? null : new SocketAddress(group.control());
    }

    /** Returns whether to request the publication's streams at its control address. */
    boolean isAsking() {
        return publication != null;
    }

    /** Changes the control address of the publication. */
    void move(InetSocketAddress to) {
        publication = to;
    }

    /**
     * Returns whether a channel has the same unresolved address as a channel that shares this
     * endpoint.
     */
    boolean isNamed(ChannelUri channel) {
        return channel.hasEndpoint()
                ? places.contains(place(channel))
                : isAnonymous && controls.contains(channel.control());
    }

    private Place place(ChannelUri channel) {
        return new Place(channel.endpoint(), group == null ? null : channel.localInterface());
    }

    /**
     * Returns whether no channel specifies the address, and the publication has the given control
     * address.
     */
    boolean isAnonymous(InetSocketAddress asked) {
        return isAnonymous && Objects.equals(publication, asked);
    }

    boolean isAt(InetSocketAddress address, Group otherGroup) {
        return requested.equals(address) && Objects.equals(group, otherGroup);
    }

    /**
     * Returns whether another subscription or destination can use the endpoint: either can if the
     * endpoint is about to be closed; otherwise only a subscription can, and only if the endpoint
     * is shared.
     */
    boolean admits(boolean asDestination) {
        return terms.users() == 0 || !isDestination && !asDestination;
    }

    /** Marks the endpoint as a destination of one subscription, or as shared. */
    void use(boolean asDestination) {
        isDestination = asDestination;
    }

    /**
     * Rebinds the endpoint to another local address or interface.
     *
     * @param other socket bound there.
     */
    void become(DatagramSocket other, InetSocketAddress address, Group newGroup) {
        socket.become(other);
        requested = address;
        group = newGroup;
    }

    /** Returns the local address and port. */
    InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    /**
     * Adds a subscription.
     *
     * @throws TransportException if its settings differ from those of other subscriptions.
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

    /** Removes a subscription; returns whether it was the last one. */
    boolean leave() {
        boolean wasLast = terms.leave();
        detaching += wasLast ? 1 : 0;
        return wasLast;
    }

    /** Records that the receiver has detached the endpoint; returns whether that is final. */
    boolean onDetached() {
        detaching--;
        return detaching == 0 && terms.users() == 0;
    }

    /**
     * Returns whether the receiver must attach the endpoint again although it was asked to detach
     * it.
     */
    boolean isReopened() {
        return terms.users() == 1;
    }

    /** Returns the settings that the subscriptions share. */
    EndpointTerms terms() {
        return terms;
    }

    /**
     * Makes the socket report when datagrams are received, if a channel requests this time in its
     * messages.
     */
    void tellTime(ChannelUri asking, boolean isOfAdapter) {
        if (asking.timestamps().media().isPresent()) {
            socket.tellTime(isOfAdapter);
        }
    }

    /** Returns whether the endpoint reports when datagrams are received. */
    boolean tellsTime() {
        return socket.tellsTime();
    }

    /** Requests a send buffer size in bytes. */
    void sendBuffer(int bytes) {
        socket.sendBuffer(bytes);
    }

    /** Requests a receive buffer size in bytes; returns the size granted by the kernel. */
    int receiveBuffer(int bytes) {
        return socket.receiveBuffer(bytes);
    }

    /**
     * Checks that a subscription has the same control address as the endpoint's other
     * subscriptions.
     *
     * @param resolved supplier of its resolved control address; not called if another subscription
     *     has equal names.
     * @throws TransportException if another subscription has a different control address.
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
                            + (wanted == null ? "no control, unlike" : "a different control from")
                            + " another subscription at "
                            + description()
                            + ": use the same control for all subscriptions at an endpoint,"
                            + " or another endpoint");
        }
    }

    void close() {
        socket.close();
    }
}
