// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One reliable connection with a peer. Conductor's thread only, but for {@link #queuePair()}. No
 * method waits: what a device or a peer can hold is done on another thread, in the order of the
 * calls.
 */
public interface Connection extends AutoCloseable {
    /**
     * The data path, for the one agent that owns it once the connection is established; null
     * before.
     */
    QueuePair queuePair();

    /** The protection domain of the queue pair; null while there is none. */
    Domain domain();

    /** Address of the peer. */
    InetSocketAddress remoteAddress();

    /** Address of this side, or null while it is not known. */
    InetSocketAddress localAddress();

    /** The path that the connection takes; null before it is established. */
    PathInfo path();

    /**
     * Makes queue pair and domain of an incoming connection, posts its receives, and accepts it,
     * after {@link FabricHandler#onConnectRequest}. Until then a peer that asks for a connection
     * costs an id and no more. {@link FabricHandler#onEstablished} or {@link FabricHandler#onEnded}
     * follows.
     *
     * @param privateData gives the answer for the initiator, at most 128 bytes, when the provision
     *     is registered.
     * @param provision registered before the peer has the answer, and released by {@link #close}.
     */
    void accept(Supplier<byte[]> privateData, Provision provision);

    /** Accepts with no provision. */
    default void accept(byte[] privateData) {
        accept(() -> privateData, Provision.NONE);
    }

    /**
     * Refuses an incoming connection and closes it.
     *
     * @param privateData for the initiator, at most 128 bytes.
     * @param failed told in a later poll why that failed; not told otherwise.
     */
    void reject(byte[] privateData, Consumer<RuntimeException> failed);

    /**
     * Does what may take long, such as to register more memory for this connection, before {@link
     * #close} takes it down.
     *
     * @param work done on another thread.
     * @param then told in a later poll, with null or what was thrown.
     */
    void call(Runnable work, Consumer<RuntimeException> then);

    /**
     * Leaves the connection, destroys the queue pair and releases the provision. The agent that
     * used the queue pair must have let go of it before. Nothing more of the connection is told.
     * The domain stays open. Does nothing where it was closed before.
     *
     * @param last done on another thread when the queue pair takes nothing from the peer any more:
     *     what it had taken can still be polled there. Null if nothing is.
     * @param then told in a later poll, when the peer can write nothing more through the queue
     *     pair.
     */
    void close(Runnable last, Runnable then);

    @Override
    default void close() {
        close(null, () -> {});
    }
}
