// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A UDP socket for what a driver tells other drivers besides streams. One thread, except where
 * noted; nothing but {@link #await} waits.
 */
public interface DatagramPort extends AutoCloseable {
    /** Address that the socket is bound to, with the port. */
    InetSocketAddress localAddress();

    /**
     * Waits for a datagram or a call of {@link #wakeup}.
     *
     * @param millis most milliseconds, more than 0.
     * @throws IOException if the socket has failed.
     */
    void await(long millis) throws IOException;

    /** Ends a wait, the current or the next one. Any thread. */
    void wakeup();

    /**
     * Receives a datagram.
     *
     * @param buffer buffer for it, at the position.
     * @return address of the sender; null if no datagram is there.
     * @throws IOException if the socket has failed.
     */
    InetSocketAddress receive(ByteBuffer buffer) throws IOException;

    /**
     * Sends a datagram.
     *
     * @param buffer bytes from the position to the limit.
     * @param to receiver.
     * @return bytes that were sent; 0 if the socket has no room.
     * @throws IOException if the system refuses to send.
     */
    int send(ByteBuffer buffer, InetSocketAddress to) throws IOException;

    @Override
    void close() throws IOException;
}
