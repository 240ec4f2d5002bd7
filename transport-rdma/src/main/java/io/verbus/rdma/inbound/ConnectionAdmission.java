// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.WriteOrder;
import io.verbus.rdma.fabric.Listener;

import java.net.InetSocketAddress;

/**
 * Decides whether a peer may connect, and which code to send in a rejection. Used by the
 * conductor's thread.
 */
final class ConnectionAdmission {
    private final HostAdmission hostAdmission;
    private final int maxPeers;
    private final WriteOrder order;

    /**
     * A rejected connection.
     *
     * @param code code for the peer.
     * @param kind kind of the error record; null if there is none.
     * @param complaint message for the error log, without the peer's port, so that retries of a
     *     host are one entry; null if there is nothing to report.
     */
    record Refusal(RejectCode code, RdmaPeerErrors.Kind kind, String complaint) {}

    /**
     * @param hostAdmission admission rules for hosts.
     * @param maxPeers maximum number of connections.
     * @param order whether peers must be able to confirm writes.
     */
    ConnectionAdmission(HostAdmission hostAdmission, int maxPeers, WriteOrder order) {
        this.hostAdmission = hostAdmission;
        this.maxPeers = maxPeers;
        this.order = order;
    }

    /**
     * Decides whether a peer may connect.
     *
     * @param address address of the peer.
     * @param local address at which the request arrived; null if unknown.
     * @param listener listener that received the request.
     * @param endpoint endpoint of the listener; null if it is closed.
     * @param hello hello of the peer; null if it is invalid.
     * @param peers current number of connections.
     * @return the refusal, or null if the peer may connect.
     */
    Refusal refusal(
            InetSocketAddress address,
            InetSocketAddress local,
            Listener listener,
            InboundListener endpoint,
            Hello hello,
            int peers) {
        String name = HostAdmission.hostOf(address);
        if (!hostAdmission.admits(address, local)) {
            return new Refusal(RejectCode.NOT_ALLOWED, null, null);
        }
        if (endpoint == null) {
            return new Refusal(RejectCode.ENDPOINT_CLOSED, null, null);
        }
        if (peers >= maxPeers) {
            return new Refusal(
                    RejectCode.NO_RESOURCES,
                    RdmaPeerErrors.Kind.NO_ROOM,
                    "a connection from "
                            + name
                            + " exceeds the limit: raise rdma.max-peers above "
                            + maxPeers);
        }
        if (hello == null) {
            return new Refusal(
                    RejectCode.UNSPECIFIED,
                    RdmaPeerErrors.Kind.STRANGER,
                    "the program that connects from "
                            + name
                            + " is not a Verbus driver: keep other programs from connecting to port"
                            + " "
                            + listener.localAddress().getPort());
        }
        if (hello.isStrange()) {
            return new Refusal(
                    RejectCode.VERSION_MISMATCH,
                    RdmaPeerErrors.Kind.OTHER_VERSION,
                    hello.versions().differ("a driver at " + name));
        }
        String old = order == WriteOrder.SAFE ? hello.cannotConfirm("a driver at " + name) : null;
        if (old != null) {
            return new Refusal(RejectCode.VERSION_MISMATCH, RdmaPeerErrors.Kind.OTHER_VERSION, old);
        }
        String reason = hostAdmission.keys().refusal(address.getAddress(), hello.challenge());
        if (reason != null) {
            hostAdmission.onUnauthenticated(
                    address, local, "a connection from " + name + " was refused: " + reason);
            return new Refusal(RejectCode.NOT_AUTHENTICATED, null, null);
        }
        return null;
    }
}
