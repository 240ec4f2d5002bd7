// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.TransportException;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.MulticastInterface;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Multicast group: streams go to its data address; receivers respond to its control address, which
 * is the data address plus one.
 *
 * @param data address in the channel; its last octet is odd.
 * @param control the next address.
 * @param on interface on which to join the group and send to it.
 * @param port local port to send from; 0 lets the kernel choose.
 * @param index current index of the interface, which changes when the interface is recreated or
 *     another one is on the route; 0 if there is none.
 */
public record Group(
        InetSocketAddress data,
        InetSocketAddress control,
        MulticastInterface on,
        int port,
        int index) {

    /**
     * Opens a socket that receives what receivers respond to the control address.
     *
     * @throws io.verbus.udp.socket.SocketException if the socket cannot be opened; the message
     *     names both addresses, because the channel has only the group's.
     */
    public DatagramSocket joinControl() {
        return DatagramSocket.join(
                control,
                on,
                "the multicast group "
                        + Endpoint.text(data)
                        + " at its control address "
                        + Endpoint.text(control));
    }

    /**
     * Returns the group of a channel.
     *
     * @return the group, or null if the address is not multicast.
     * @throws TransportException if the group cannot be used.
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
                            + "' has an unusable multicast group: choose an IPv4 group whose last"
                            + " octet is odd, because the next address is used for control"
                            + " messages");
        }
        if (channel.control() != null && !channel.isAeron()) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has both a multicast group and control: remove control, because a"
                            + " group has its own control address, or use a unicast address as"
                            + " endpoint");
        }
        LocalInterface local = channel.localInterface();
        InetAddress from =
                resolver.resolve(local == null ? "0.0.0.0" : local.name(), 0).getAddress();
        if (!(from instanceof Inet4Address)) {
            throw new TransportException(
                    "channel '" + channel + "' mixes IPv4 and IPv6: use an IPv4 interface address");
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
            throw new AssertionError(
                    "cannot happen: the length of an address is valid", impossible);
        }
    }
}
