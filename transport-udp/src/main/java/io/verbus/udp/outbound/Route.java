// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportException;
import io.verbus.udp.common.Group;
import io.verbus.udp.common.Resolver;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.OptionalInt;

/**
 * Key of a socket: publications whose channels resolve to equal routes share a socket.
 *
 * @param to address of the only receiver or of the group; null if there are several receivers.
 * @param from local address to bind to.
 * @param group multicast group, or null.
 * @param ttl TTL of datagrams.
 * @param owner registration id of the publication that does not share the socket, or 0.
 * @param isOfResponses whether each stream has its own receiver, which requests that stream.
 */
record Route(
        InetSocketAddress to,
        InetSocketAddress from,
        Group group,
        OptionalInt ttl,
        long owner,
        boolean isOfResponses) {
    /**
     * Returns the route of a publication.
     *
     * @throws TransportException if its channel cannot be used.
     */
    static Route of(OutboundStream stream, Resolver resolver) {
        ChannelUri channel = stream.channel();
        if (channel.isDynamic() || channel.response().isResponse()) {
            return new Route(
                    null,
                    resolver.resolve(channel.control().host(), channel.control().port()),
                    null,
                    channel.datagrams().ttl(),
                    0,
                    channel.response().isResponse());
        }
        if (channel.isManual()) {
            return new Route(
                    null,
                    from(channel, false, resolver),
                    null,
                    channel.datagrams().ttl(),
                    stream.registrationId(),
                    false);
        }
        InetSocketAddress to =
                resolver.resolve(channel.endpoint().host(), channel.endpoint().port());
        Group group = Group.of(channel, to, resolver);
        InetSocketAddress from =
                group == null
                        ? from(channel, isIpv6(to), resolver)
                        : new InetSocketAddress(group.on().local(), group.port());
        Route route = new Route(to, from, group, channel.datagrams().ttl(), 0, false);
        route.checkFamily(channel, to);
        return route;
    }

    /**
     * Checks that a publication's flow control fits the route.
     *
     * @param channel channel of the publication.
     * @throws TransportException if it specifies flow control, but has a single receiver.
     */
    void checkFlow(ChannelUri channel) {
        if (to != null && group == null && channel.flow() != null) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has only one receiver, so fc has no effect: remove fc");
        }
    }

    /** Returns the control address, the interface, or the wildcard address. */
    private static InetSocketAddress from(ChannelUri channel, boolean isIpv6, Resolver resolver) {
        if (channel.control() != null) {
            return resolver.resolve(channel.control().host(), channel.control().port());
        }
        LocalInterface local = channel.localInterface();
        return local == null
                ? resolver.resolve(isIpv6 ? "::" : "0.0.0.0", 0)
                : resolver.resolve(local.name(), local.port());
    }

    /** Returns whether the socket sends to one receiver only. */
    boolean isConnected() {
        return to != null && group == null;
    }

    /** Returns whether the route to the receiver determines the local address. */
    boolean isFromAnyAddress() {
        return from.getAddress().isAnyLocalAddress();
    }

    /** Returns a copy of this route to another address of the receiver. */
    Route to(InetSocketAddress moved) {
        return new Route(moved, from, group, ttl, owner, isOfResponses);
    }

    /** Returns whether each stream may have any number of dynamic receivers. */
    boolean isDynamic() {
        return to == null && owner == 0 && !isOfResponses;
    }

    /**
     * Returns a copy of this route from another local address.
     *
     * @param on group, joined on the interface of that address; null if the route has no group.
     */
    Route from(InetAddress moved, Group on) {
        return new Route(
                to, new InetSocketAddress(moved, from.getPort()), on, ttl, owner, isOfResponses);
    }

    /** Returns whether there may be several receivers. */
    boolean isGroup() {
        return group != null || to == null && !isOfResponses;
    }

    /**
     * Checks that a receiver's address has the address family of the socket.
     *
     * @param channel channel, for the error message.
     * @param receiver address of the receiver.
     * @throws TransportException if the families differ.
     */
    void checkFamily(ChannelUri channel, InetSocketAddress receiver) {
        if (isIpv6(receiver) != isIpv6(from)) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' mixes IPv4 and IPv6: use an interface address of the endpoint's"
                            + " address family");
        }
    }

    private static boolean isIpv6(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address;
    }
}
