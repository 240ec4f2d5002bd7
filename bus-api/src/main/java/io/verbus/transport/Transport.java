// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/**
 * Transports logs between drivers. Each of the driver's three agents calls its own part; a
 * transport passes data between these parts through its own queues. In the threading modes with
 * fewer threads, one thread makes the same calls in turn.
 */
public interface Transport extends AutoCloseable {
    // Conductor

    /** Returns the publishing side. */
    OutboundTransport outbound();

    /** Returns the subscribing side. */
    InboundTransport inbound();

    /**
     * Runs the conductor's part of the duty cycle: connections, timers, and requests of the other
     * agents.
     *
     * @param nowNs monotonic time, read once per cycle.
     * @return work done.
     */
    int conduct(long nowNs);

    // Sender

    /**
     * Runs the sender's part of the duty cycle.
     *
     * @param nowNs monotonic time, read once per cycle.
     * @return work done.
     */
    int send(long nowNs);

    // Receiver

    /**
     * Runs the receiver's part of the duty cycle.
     *
     * @param nowNs monotonic time, read once per cycle.
     * @return work done.
     */
    int receive(long nowNs);

    /**
     * Closes everything that is still open. Called on the conductor's thread after the agents have
     * stopped.
     */
    @Override
    void close();
}
