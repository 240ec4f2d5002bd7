// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;

/** One reliable connection with a peer. Conductor's thread only, but for {@link #queuePair()}. */
public interface Connection extends AutoCloseable {
    /**
     * The data path, for the one agent that owns it once the connection is established; null before
     * {@link #prepare}.
     */
    QueuePair queuePair();

    /** The protection domain of the queue pair; null while there is none. */
    Domain domain();

    /** Address of the peer. */
    InetSocketAddress remoteAddress();

    /** Address of this side, or null while it is not known. */
    InetSocketAddress localAddress();

    /** The path that the connection takes; null before it is accepted or established. */
    PathInfo path();

    /**
     * Makes queue pair and domain of an incoming connection and posts its receives. Until then a
     * peer that asks for a connection costs an id and no more. {@link #accept} does so if it was
     * not done.
     *
     * @throws FabricException if the device refuses; {@link #close} is still owed.
     */
    void prepare();

    /**
     * Accepts an incoming connection, after {@link FabricHandler#onConnectRequest} and once what it
     * needs is in place. {@link FabricHandler#onEstablished} follows.
     *
     * @param privateData for the initiator, at most 128 bytes.
     */
    void accept(byte[] privateData);

    /**
     * Refuses an incoming connection and closes it.
     *
     * @param privateData for the initiator, at most 128 bytes.
     */
    void reject(byte[] privateData);

    /**
     * Leaves the connection: from now on the queue pair takes nothing from the peer. What it had
     * taken can still be polled, by the calling thread, once the agent that used the queue pair has
     * let go of it. {@link #close} is to follow.
     */
    void stop();

    /**
     * Destroys the queue pair and leaves the connection: when this returns, the peer can write
     * nothing more through it. The agent that used the queue pair must have let go of it before.
     * The domain stays open. Idempotent.
     */
    @Override
    void close();
}
