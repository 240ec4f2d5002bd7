// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;

/** Handles the events that {@link Fabric#poll} finds. Called on the conductor's thread. */
public interface FabricHandler {
    /**
     * Called when a peer requests a connection. Answer with {@link Connection#accept} or {@link
     * Connection#reject}, immediately or later.
     *
     * @param listener listener that received the request.
     * @param connection requested connection; {@link Connection#accept} creates its queue pair and
     *     domain.
     * @param remoteAddress address of the peer.
     * @param privateData untrusted data as received; the fabric may have padded it with zeros.
     */
    void onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData);

    /**
     * Called when a listener stops receiving requests. Listening is retried until the listener is
     * closed.
     *
     * @param listener listener that was lost.
     * @param reason description of the failure.
     */
    default void onListenerLost(Listener listener, String reason) {
        throw new FabricException("a listener was lost: " + reason);
    }

    /**
     * Called when a lost listener works again.
     *
     * @param listener listener that recovered.
     */
    default void onListenerBack(Listener listener) {
        // Nothing has changed for the handler.
    }

    /** Called when a lost listener is closed. */
    default void onLostListenerClosed() {
        // Nothing has changed for the handler.
    }

    /**
     * Called when a connection is established.
     *
     * @param connection established connection.
     * @param privateData data of the accepting side, possibly padded with zeros; empty at the
     *     accepting side itself.
     */
    void onEstablished(Connection connection, byte[] privateData);

    /**
     * Called when a connection has failed or ended. The handler must still call {@link
     * Connection#close()}.
     *
     * @param connection connection that ended.
     * @param cause cause of the end.
     * @param reason description that includes the fabric's report.
     * @param privateData data of a rejecting peer, otherwise empty.
     */
    void onEnded(Connection connection, Cause cause, String reason, byte[] privateData);

    /** The cause of a connection's end. */
    enum Cause {
        /** No host answers at the address, or the address or route cannot be resolved. */
        UNREACHABLE,

        /** The peer refused: no driver listens, or the driver rejected the connection. */
        REJECTED,

        /** The peer ended an established connection, or its process died. */
        DISCONNECTED,

        /** A local call failed, or the device was removed. */
        FAILED
    }
}
