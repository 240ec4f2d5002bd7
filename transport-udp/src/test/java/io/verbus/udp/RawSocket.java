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

/** JDK socket of a peer that the test simulates. */
final class RawSocket implements AutoCloseable {
    private final DatagramChannel channel;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(65_536);

    /** Last received datagram, or the one to send. */
    final UnsafeBuffer buffer = new UnsafeBuffer(bytes);

    /** Source of the last datagram. */
    SocketAddress source;

    RawSocket() {
        this("127.0.0.1");
    }

    /**
     * @param host loopback address of the peer.
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

    /** Returns the length of the next datagram, or -1. */
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

    /** Receives everything that has arrived; returns the number of bytes. */
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

    /** Returns the address of a port on this host. */
    static SocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
