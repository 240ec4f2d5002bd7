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
import java.util.concurrent.CompletableFuture;

/**
 * A local address to which peers connect, shared by its subscriptions unless it is a destination.
 * Used by the conductor's thread.
 */
final class InboundListener implements InboundEndpoint {
    /** A local address as named by a channel. */
    private record Place(Endpoint endpoint, Endpoint control, LocalInterface local) {
        static Place of(ChannelUri channel) {
            return channel.hasEndpoint()
                    ? new Place(channel.endpoint(), null, null)
                    : new Place(null, channel.control(), channel.localInterface());
        }
    }

    private final InetSocketAddress requested;

    /** Names in the channels that resolved to this endpoint. */
    private final Set<Place> places = new HashSet<>();

    /** Control address from which responses arrive here; null if no responses do. */
    private final Endpoint responses;

    private final Listener listener;

    /** Channel of the first subscription, named in errors. */
    private final ChannelUri channel;

    private final ConnectionOptions options;
    private final boolean isDestination;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
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
        this.requested = requested;
        this.responses = channel.response().isResponse() ? channel.control() : null;
        this.listener = listener;
        this.channel = channel;
        this.options = options;
        this.isDestination = isDestination;
        this.window = channel.window();
        this.groupTag = channel.groupTag();
        places.add(Place.of(channel));
        listener.opened().whenComplete((none, failure) -> onOpened(failure));
    }

    private void onOpened(Throwable failure) {
        if (failure == null) {
            opened.complete(null);
        } else {
            opened.completeExceptionally(new TransportException(failure.getMessage(), failure));
        }
    }

    @Override
    public CompletableFuture<Void> opened() {
        return opened;
    }

    /** Returns whether peers can connect. */
    boolean isOpen() {
        return opened.isDone() && !opened.isCompletedExceptionally();
    }

    /**
     * Returns whether a channel has the same names as a channel that resolved to this endpoint,
     * even if the names resolve differently by now.
     */
    boolean isNamed(ChannelUri channel) {
        boolean isAnyPort = channel.hasEndpoint() && channel.endpoint().port() == 0;
        return !isAnyPort && places.contains(Place.of(channel));
    }

    /**
     * Returns whether this is a destination of one subscription, which no other subscription may
     * join.
     */
    boolean isDestination() {
        return isDestination;
    }

    boolean isAt(InetSocketAddress address) {
        return address.getPort() != 0 && place().equals(address);
    }

    /** Returns the requested address, with the port actually bound once it is known. */
    private InetSocketAddress place() {
        InetSocketAddress bound = listener.localAddress();
        return requested.getPort() == 0 && bound != null
                ? new InetSocketAddress(requested.getAddress(), bound.getPort())
                : requested;
    }

    /**
     * Returns whether responses of a control address arrive here, at any port of the given address.
     */
    boolean isOfResponses(Endpoint control, InetAddress address) {
        return control.equals(responses) && requested.getAddress().equals(address);
    }

    /** Returns the control address from which responses arrive here; null if no responses do. */
    Endpoint responses() {
        return responses;
    }

    /** Returns the address with the port actually bound; null while the listener is opening. */
    InetSocketAddress localAddress() {
        return listener.localAddress();
    }

    /** Returns the channel of the first subscription. */
    ChannelUri channel() {
        return channel;
    }

    /** Returns the options of incoming connections. */
    ConnectionOptions options() {
        return options;
    }

    boolean uses(Listener other) {
        return listener == other;
    }

    /**
     * Adds another subscription.
     *
     * @throws TransportException if its channel requires different settings.
     */
    void join(ChannelUri joining) {
        ChannelOptions.requireShared(options, joining, "the endpoint " + description());
        if (joining.response().isResponse() && !joining.control().equals(responses)) {
            throw new TransportException(
                    "the endpoint "
                            + description()
                            + " cannot also receive responses from "
                            + joining.control()
                            + ": use a separate endpoint for the responses from each control"
                            + " address");
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
                        + key
                        + " "
                        + other
                        + " of another subscription at "
                        + description()
                        + ": use the same "
                        + key
                        + " for all subscriptions at an endpoint");
    }

    /** Returns the tag of the subscriptions here. */
    OptionalLong groupTag() {
        return groupTag;
    }

    /** Removes a user; returns whether it was the last one. */
    boolean leave() {
        users--;
        return users == 0;
    }

    boolean isClosed() {
        return users == 0;
    }

    /**
     * Returns the number of bytes that may be written beyond an image's consumed position: one term
     * by default.
     */
    int window(int termLength) {
        return (int) Math.min(window.orElse(termLength), 2L * termLength);
    }

    /** Stops listening, because its last subscription has left. */
    void close(long nowNs) {
        closedAtNs = nowNs;
        listener.close();
    }

    /** Returns whether the listener has been closed for at least the given time. */
    boolean isClosedFor(long durationNs, long nowNs) {
        return isClosed() && nowNs - closedAtNs >= durationNs;
    }

    @Override
    public String description() {
        InetSocketAddress bound = listener.localAddress();
        return Endpoint.text(bound == null ? requested : bound);
    }
}
