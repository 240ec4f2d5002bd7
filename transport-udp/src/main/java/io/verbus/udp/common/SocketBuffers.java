// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.DatagramSettings;
import io.verbus.transport.TransportException;

import java.util.OptionalInt;

/**
 * Buffers of a socket: what the first channel that uses it asks for, or the driver's options. Later
 * channels may ask for the same only.
 *
 * @param send bytes of the send buffer.
 * @param receive bytes of the receive buffer.
 */
public record SocketBuffers(int send, int receive) {
    /** The buffers of a socket that a channel is the first to use. */
    public static SocketBuffers of(ChannelUri channel, UdpOptions options) {
        DatagramSettings asked = channel.datagrams();
        return new SocketBuffers(
                asked.sendBuffer().orElse(options.sendBuffer()),
                asked.receiveBuffer().orElse(options.receiveBuffer()));
    }

    /**
     * Checks that one more channel can use the socket.
     *
     * @param where the socket is, for people.
     * @throws TransportException if the channel asks for other buffers.
     */
    public void requireFit(ChannelUri channel, String where) {
        DatagramSettings asked = channel.datagrams();
        check("so-sndbuf", send, asked.sendBuffer(), channel, where);
        check("so-rcvbuf", receive, asked.receiveBuffer(), channel, where);
    }

    private static void check(
            String key, int agreed, OptionalInt asked, ChannelUri channel, String where) {
        if (asked.orElse(agreed) != agreed) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' asks for another "
                            + key
                            + " than the "
                            + agreed
                            + " bytes of the socket at "
                            + where
                            + ", which it would share: ask for the same, or leave "
                            + key
                            + " out");
        }
    }

    /**
     * Checks that a frame fits into the send buffer.
     *
     * @param mtu longest frame in bytes.
     * @throws TransportException if not.
     */
    public void requireRoom(ChannelUri channel, int mtu) {
        if (mtu > send) {
            throw new TransportException(
                    "channel '"
                            + channel
                            + "' has an mtu of "
                            + mtu
                            + ", more than the "
                            + send
                            + " bytes of the send buffer: lower mtu, or raise so-sndbuf or"
                            + " udp.send-buffer");
        }
    }
}
