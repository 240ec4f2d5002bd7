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
 * What a socket is for: publications whose channels say the same of it share one.
 *
 * @param to the one receiver, or group; null if there are several receivers.
 * @param from where it is bound.
 * @param group that it sends to, or null.
 * @param ttl of its datagrams.
 * @param owner registration of the one publication that has it for itself, or 0.
 * @param isOfResponses whether each stream has its own receiver, who asks for that stream.
 */
record Route(
        InetSocketAddress to,
        InetSocketAddress from,
        Group group,
        OptionalInt ttl,
        long owner,
        boolean isOfResponses) {
    /**
     * The route of a publication.
     *
     * @throws TransportException if its channel names what cannot be used.
     */
    static Route of(OutboundStream stream, Resolver resolver) {
        ChannelUri channel = stream.channel();
        if (channel.isDynamic() || channel.response().isResponse()) {
            return new Route(
                    null,
                    resolver.resolve(channel.control().host(), channel.control().port()),
                    null,
                    channel.ttl(),
                    0,
                    channel.response().isResponse());
        }
        if (channel.isManual()) {
            return new Route(
                    null,
                    from(channel, false, resolver),
                    null,
                    channel.ttl(),
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
        Route route = new Route(to, from, group, channel.ttl(), 0, false);
        route.checkFamily(channel, to);
        return route;
    }

    /**
     * @param channel of a publication that is to be sent by this route.
     * @throws TransportException if it asks for what only a group of receivers has.
     */
    void checkFlow(ChannelUri channel) {
        if (to != null && group == null && channel.flow() != null) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has one receiver, for which there is no choice of flow control:"
                            + " remove fc");
        }
    }

    /** The control address, the interface, or whatever address there is. */
    private static InetSocketAddress from(ChannelUri channel, boolean isIpv6, Resolver resolver) {
        if (channel.control() != null) {
            return resolver.resolve(channel.control().host(), channel.control().port());
        }
        LocalInterface local = channel.localInterface();
        return local == null
                ? resolver.resolve(isIpv6 ? "::" : "0.0.0.0", 0)
                : resolver.resolve(local.name(), local.port());
    }

    /** Whether its socket sends to one receiver only. */
    boolean isConnected() {
        return to != null && group == null;
    }

    /** Whether the route to a receiver says from which address of this host is sent. */
    boolean isFromAnyAddress() {
        return from.getAddress().isAnyLocalAddress();
    }

    /** This route to a receiver at another address. */
    Route to(InetSocketAddress moved) {
        return new Route(moved, from, group, ttl, owner, isOfResponses);
    }

    /** Whether receivers of its streams come by themselves, any number of them. */
    boolean isDynamic() {
        return to == null && owner == 0 && !isOfResponses;
    }

    /**
     * This route from another address of this host.
     *
     * @param on the group, as it is joined there; null if it leads to none.
     */
    Route from(InetAddress moved, Group on) {
        return new Route(
                to, new InetSocketAddress(moved, from.getPort()), on, ttl, owner, isOfResponses);
    }

    /** Whether more than one receives what is sent. */
    boolean isGroup() {
        return group != null || to == null && !isOfResponses;
    }

    /**
     * @param channel for people.
     * @param receiver to be sent to.
     * @throws TransportException if the receiver's address is of another family than the socket's.
     */
    void checkFamily(ChannelUri channel, InetSocketAddress receiver) {
        if (isIpv6(receiver) != isIpv6(from)) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' mixes IPv4 and IPv6: name an interface address of the endpoint's"
                            + " family");
        }
    }

    private static boolean isIpv6(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address;
    }
}
