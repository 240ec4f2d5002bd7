// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A UDP socket over which a driver exchanges datagrams other than streams with other drivers. Not
 * thread-safe, except where noted; only {@link #await} blocks.
 */
public interface DatagramPort extends AutoCloseable {
    /** Returns the address and port that the socket is bound to. */
    InetSocketAddress localAddress();

    /**
     * Waits for a datagram or a call of {@link #wakeup}.
     *
     * @param millis maximum time to wait in milliseconds, more than 0.
     * @throws IOException if the socket has failed.
     */
    void await(long millis) throws IOException;

    /** Ends a wait, the current or the next one. Thread-safe. */
    void wakeup();

    /**
     * Receives a datagram.
     *
     * @param buffer buffer to receive into, from its position.
     * @return address of the sender; null if there is no datagram.
     * @throws IOException if the socket has failed.
     */
    InetSocketAddress receive(ByteBuffer buffer) throws IOException;

    /**
     * Sends a datagram.
     *
     * @param buffer buffer with the datagram between its position and limit.
     * @param to address of the receiver.
     * @return number of bytes sent; 0 if the socket has no room.
     * @throws IOException if the system rejects the datagram.
     */
    int send(ByteBuffer buffer, InetSocketAddress to) throws IOException;

    @Override
    void close() throws IOException;
}
