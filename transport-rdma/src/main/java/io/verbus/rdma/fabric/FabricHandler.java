// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;

/** What {@link Fabric#poll} finds. Called on the conductor's thread. */
public interface FabricHandler {
    /**
     * A peer asks for a connection. Answer with {@link Connection#accept} or {@link
     * Connection#reject}, at once or later.
     *
     * @param listener at which it arrived.
     * @param connection that it would be; its queue pair and domain come with {@link
     *     Connection#accept}.
     * @param remoteAddress of the peer.
     * @param privateData as it arrived: possibly padded with zeros by the fabric, never to be
     *     trusted.
     */
    void onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData);

    /**
     * A listener hears nothing any more, and tries to listen again until it is closed.
     *
     * @param listener that was lost.
     * @param reason in words.
     */
    default void onListenerLost(Listener listener, String reason) {
        throw new FabricException("a listener was lost: " + reason);
    }

    /**
     * A listener that was lost listens again.
     *
     * @param listener that is back.
     */
    default void onListenerBack(Listener listener) {
        // It is as before.
    }

    /**
     * A connection is ready for use.
     *
     * @param connection that is ready.
     * @param privateData of the accepting side, possibly padded with zeros; empty at the accepting
     *     side itself.
     */
    void onEstablished(Connection connection, byte[] privateData);

    /**
     * A connection could not be made or accepted, or has ended. {@link Connection#close()} is still
     * owed.
     *
     * @param connection that ended.
     * @param cause of it.
     * @param reason in words, with what the fabric said.
     * @param privateData of a rejecting peer, otherwise empty.
     */
    void onEnded(Connection connection, Cause cause, String reason, byte[] privateData);

    /** Why a connection ended. */
    enum Cause {
        /** No host answers at the address, or the address or route cannot be resolved. */
        UNREACHABLE,

        /** The peer refused: no driver listens there, or it rejected the connection. */
        REJECTED,

        /** The peer ended an established connection, or its process died. */
        DISCONNECTED,

        /** A call failed on this side, or the device went away. */
        FAILED
    }
}
