// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.DatagramSettings;
import io.verbus.transport.TransportException;

import java.util.OptionalInt;

/**
 * Buffer sizes of a socket: those requested by the first channel that uses it, or the driver's
 * defaults. Later channels may only request the same sizes.
 *
 * @param send size of the send buffer in bytes.
 * @param receive size of the receive buffer in bytes.
 */
public record SocketBuffers(int send, int receive) {
    /** Returns the sizes for a socket whose first user is the channel. */
    public static SocketBuffers of(ChannelUri channel, UdpOptions options) {
        DatagramSettings asked = channel.datagrams();
        return new SocketBuffers(
                asked.sendBuffer().orElse(options.sendBuffer()),
                asked.receiveBuffer().orElse(options.receiveBuffer()));
    }

    /**
     * Checks that another channel can use the socket.
     *
     * @param where address of the socket, for the error message.
     * @throws TransportException if the channel requests other sizes.
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
                            + "' requests a different "
                            + key
                            + " than the "
                            + agreed
                            + " bytes of the socket at "
                            + where
                            + ", which the channel would share: request the same size, or remove "
                            + key);
        }
    }

    /**
     * Checks that a frame fits into the send buffer.
     *
     * @param mtu maximum frame length in bytes.
     * @throws TransportException if it does not fit.
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
