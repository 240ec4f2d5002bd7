// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A reliable connection to a peer. Used by the conductor's thread only, except {@link
 * #queuePair()}. No method blocks: calls that a device or a peer can delay run on another thread,
 * in order.
 */
public interface Connection extends AutoCloseable {
    /**
     * Returns the data path, used by a single agent once the connection is established; null
     * before.
     */
    QueuePair queuePair();

    /** Returns the protection domain of the queue pair, or null if there is none. */
    Domain domain();

    /** Returns the address of the peer. */
    InetSocketAddress remoteAddress();

    /** Returns the local address, or null while it is unknown. */
    InetSocketAddress localAddress();

    /** Returns the path of the connection; null before it is established. */
    PathInfo path();

    /**
     * Creates the queue pair and domain of an incoming connection, posts its receives, and accepts
     * it, after {@link FabricHandler#onConnectRequest}. Until then a connection request only costs
     * an id. {@link FabricHandler#onEstablished} or {@link FabricHandler#onEnded} follows.
     *
     * @param privateData supplier of the answer to the initiator, at most 128 bytes; called once
     *     the provision is registered.
     * @param provision memory to register before the peer receives the answer; released by {@link
     *     #close}.
     */
    void accept(Supplier<byte[]> privateData, Provision provision);

    /** Accepts the connection without a provision. */
    default void accept(byte[] privateData) {
        accept(() -> privateData, Provision.NONE);
    }

    /**
     * Rejects an incoming connection and closes it.
     *
     * @param privateData answer to the initiator, at most 128 bytes.
     * @param failed called in a later poll with the reason if the rejection failed.
     */
    void reject(byte[] privateData, Consumer<RuntimeException> failed);

    /**
     * Runs work that may take long, such as registering more memory for this connection, before
     * {@link #close} tears it down.
     *
     * @param work work to run on another thread.
     * @param then called in a later poll with the exception that the work threw, or null.
     */
    void call(Runnable work, Consumer<RuntimeException> then);

    /**
     * Disconnects, destroys the queue pair and releases the provision. The agent must have stopped
     * using the queue pair before. No further events of the connection are reported. The domain
     * stays open. Idempotent.
     *
     * @param last work to run on another thread once the queue pair accepts nothing more from the
     *     peer; messages received before can still be polled there. May be null.
     * @param then called in a later poll, when the peer can no longer write through the queue pair.
     */
    void close(Runnable last, Runnable then);

    @Override
    default void close() {
        close(null, () -> {});
    }
}
