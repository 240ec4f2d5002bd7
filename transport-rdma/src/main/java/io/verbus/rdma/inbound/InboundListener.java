// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.rdma.common.ChannelOptions;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TransportException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A local address at which peers connect, shared by the subscriptions to it unless it is a
 * destination. Conductor's thread.
 */
final class InboundListener implements InboundEndpoint {
    /** A local address in a channel's words. */
    private record Place(Endpoint endpoint, Endpoint control, LocalInterface local) {
        static Place of(ChannelUri channel) {
            return channel.hasEndpoint()
                    ? new Place(channel.endpoint(), null, null)
                    : new Place(null, channel.control(), channel.localInterface());
        }
    }

    private final InetSocketAddress requested;

    /** What channels say that led here. */
    private final Set<Place> places = new HashSet<>();

    /** Where the responses are sent from that arrive here; null if none do. */
    private final Endpoint responses;

    private final Listener listener;

    /** The channel of the first subscription, which errors name. */
    private final ChannelUri channel;

    private final ConnectionOptions options;
    private final boolean isDestination;
    private OptionalInt window;
    private OptionalLong groupTag;
    private int users = 1;
    private long closedAtNs;

    InboundListener(
            InetSocketAddress requested,
            Listener listener,
            ConnectionOptions options,
            ChannelUri channel,
            boolean isDestination) {
        this.requested =
                requested.getPort() == 0
                        ? new InetSocketAddress(
                                requested.getAddress(), listener.localAddress().getPort())
                        : requested;
        this.responses = channel.response().isResponse() ? channel.control() : null;
        this.listener = listener;
        this.channel = channel;
        this.options = options;
        this.isDestination = isDestination;
        this.window = channel.window();
        this.groupTag = channel.groupTag();
        places.add(Place.of(channel));
    }

    /** Whether a channel says the same as one that led here, wherever its names lead by now. */
    boolean isNamed(ChannelUri channel) {
        boolean isAnyPort = channel.hasEndpoint() && channel.endpoint().port() == 0;
        return !isAnyPort && places.contains(Place.of(channel));
    }

    /** Whether it is a destination of one subscription, so that no other may join. */
    boolean isDestination() {
        return isDestination;
    }

    boolean isAt(InetSocketAddress address) {
        return requested.equals(address);
    }

    /** Whether responses from there arrive here, at any port of an address. */
    boolean isOfResponses(Endpoint control, InetAddress address) {
        return control.equals(responses) && requested.getAddress().equals(address);
    }

    /** Where the responses are sent from that arrive here; null if none do. */
    Endpoint responses() {
        return responses;
    }

    /** The address, with the port that was really bound. */
    InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    /** The channel of the first of its subscriptions. */
    ChannelUri channel() {
        return channel;
    }

    /** Of the connections that arrive. */
    ConnectionOptions options() {
        return options;
    }

    boolean uses(Listener other) {
        return listener == other;
    }

    /**
     * Another subscription comes.
     *
     * @throws TransportException if its channel asks for what is not so here.
     */
    void join(ChannelUri joining) {
        ChannelOptions.requireShared(options, joining, "the endpoint " + description());
        if (joining.response().isResponse() && !joining.control().equals(responses)) {
            throw new TransportException(
                    "the endpoint "
                            + description()
                            + " receives no responses from "
                            + joining.control()
                            + ": use an endpoint for the responses of each control address");
        }
        OptionalInt otherWindow = joining.window();
        OptionalLong otherTag = joining.groupTag();
        if (window.isPresent() && otherWindow.isPresent() && !window.equals(otherWindow)) {
            throw differs("window", otherWindow.getAsInt(), window.getAsInt());
        }
        if (groupTag.isPresent() && otherTag.isPresent() && !groupTag.equals(otherTag)) {
            throw differs("gtag", otherTag.getAsLong(), groupTag.getAsLong());
        }
        if (otherWindow.isPresent()) {
            window = otherWindow;
        }
        if (otherTag.isPresent()) {
            groupTag = otherTag;
        }
        places.add(Place.of(joining));
        users++;
    }

    private TransportException differs(String key, long value, long other) {
        return new TransportException(
                key
                        + " "
                        + value
                        + " differs from "
                        + other
                        + " of another subscription at "
                        + description()
                        + ": use one "
                        + key
                        + " for all subscriptions at an endpoint");
    }

    /** Tag of the subscriptions here. */
    OptionalLong groupTag() {
        return groupTag;
    }

    /** Leaves; whether that was the last user. */
    boolean leave() {
        users--;
        return users == 0;
    }

    boolean isClosed() {
        return users == 0;
    }

    /** Bytes that may be written past the consumption position of an image: one term by default. */
    int window(int termLength) {
        return (int) Math.min(window.orElse(termLength), 2L * termLength);
    }

    /** Stops listening: there is no subscription here any more. */
    void close(long nowNs) {
        closedAtNs = nowNs;
        listener.close();
    }

    /** Whether it was closed so long ago. */
    boolean isClosedFor(long durationNs, long nowNs) {
        return isClosed() && nowNs - closedAtNs >= durationNs;
    }

    @Override
    public String description() {
        InetSocketAddress bound = listener.localAddress();
        String host = bound.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + bound.getPort();
    }
}
