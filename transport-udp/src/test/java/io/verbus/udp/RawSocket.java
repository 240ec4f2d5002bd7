// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** A socket of the JDK's, for a peer that the test plays itself. */
final class RawSocket implements AutoCloseable {
    private final DatagramChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(65_536);

    /** What was received last, or is to be sent. */
    final UnsafeBuffer buffer = new UnsafeBuffer(bytes);

    /** Where the last datagram came from. */
    SocketAddress source;

    RawSocket() {
        this("127.0.0.1");
    }

    /**
     * @param host whose peer it is: one of the loopback device's.
     */
    RawSocket(String host) {
        try {
            channel = DatagramChannel.open();
            channel.bind(new InetSocketAddress(host, 0));
            channel.configureBlocking(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return channel.socket().getLocalPort();
    }

    /** Length of the next datagram, or -1. */
    int receive() {
        try {
            bytes.clear();
            SocketAddress from = channel.receive(bytes);
            if (from == null) {
                return -1;
            }
            source = from;
            return bytes.position();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes all that has arrived; how many bytes. */
    long drain() {
        long bytes = 0;
        int length;
        while ((length = receive()) >= 0) {
            bytes += length;
        }
        return bytes;
    }

    void send(SocketAddress to, int length) {
        try {
            bytes.clear().limit(length);
            channel.send(bytes, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void send(int port, int length) {
        send(at(port), length);
    }

    /** A port of this host. */
    static SocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
