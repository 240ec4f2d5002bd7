// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.TransportException;
import io.verbus.udp.socket.MulticastInterface;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * A multicast group: streams go to its data address, receivers answer to its control address, which
 * is the next one.
 *
 * @param data the address that channels name, whose last octet is odd.
 * @param control the address after that.
 * @param on interface on which it is joined and sent to.
 * @param port from which is sent; 0 leaves it to the system.
 * @param index number of the interface by now: one that was made anew, or another that a route
 *     leads to, is another; 0 if there is none.
 */
public record Group(
        InetSocketAddress data,
        InetSocketAddress control,
        MulticastInterface on,
        int port,
        int index) {

    /**
     * The group that a channel names.
     *
     * @return the group, or null if the address is none of a group.
     * @throws TransportException if it cannot be used.
     */
    public static Group of(ChannelUri channel, InetSocketAddress address, Resolver resolver) {
        if (!address.getAddress().isMulticastAddress()) {
            return null;
        }
        byte[] octets = address.getAddress().getAddress();
        if (!(address.getAddress() instanceof Inet4Address) || octets[3] % 2 == 0) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' names a multicast group that cannot be used: choose an IPv4 group"
                            + " whose last octet is odd, since the next address is used too");
        }
        if (channel.control() != null && !channel.isAeron()) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has both a multicast group and control: remove control, since a"
                            + " group has its own, or name an address of one host as endpoint");
        }
        LocalInterface local = channel.localInterface();
        InetAddress from =
                resolver.resolve(local == null ? "0.0.0.0" : local.name(), 0).getAddress();
        if (!(from instanceof Inet4Address)) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' mixes IPv4 and IPv6: name an IPv4 interface address");
        }
        octets[3]++;
        try {
            MulticastInterface on =
                    new MulticastInterface(from, local == null ? null : local.device());
            return new Group(
                    address,
                    new InetSocketAddress(InetAddress.getByAddress(octets), address.getPort()),
                    on,
                    local == null ? 0 : local.port(),
                    on.index(address));
        } catch (UnknownHostException impossible) {
            throw new AssertionError("the length of an address is fixed", impossible);
        }
    }
}
