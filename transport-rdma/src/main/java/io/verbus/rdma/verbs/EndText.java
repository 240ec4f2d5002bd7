// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.FabricHandler.Cause;

/** Describes the ends of connections. */
final class EndText {
    private static final byte[] NO_DATA = {};

    private EndText() {}

    /**
     * The end of a connection.
     *
     * @param cause cause of the end.
     * @param reason text that explains the cause.
     * @param privateData private data from the peer that rejected the connection, otherwise empty.
     */
    record Ending(Cause cause, String reason, byte[] privateData) {}

    /**
     * Returns the end that an event reports.
     *
     * @param event event of a connection.
     * @param peer host and port.
     * @return the end, or null if the event does not end the connection.
     */
    static Ending of(CmEvent event, String peer) {
        return switch (event.type()) {
            case VerbsAbi.RDMA_CM_EVENT_ADDR_ERROR ->
                    unreachable(
                            "no RDMA device of this host can reach " + peer,
                            event,
                            "check that the peer's host is up, and that an RDMA device of this host"
                                    + " is on a network with a route to the peer");
            case VerbsAbi.RDMA_CM_EVENT_ROUTE_ERROR ->
                    unreachable("no route to " + peer, event, "check `ip route` and the fabric");
            case VerbsAbi.RDMA_CM_EVENT_UNREACHABLE ->
                    unreachable(
                            "no answer from " + peer,
                            event,
                            "check that the peer's host is up and has an RDMA device at this "
                                    + "address");
            case VerbsAbi.RDMA_CM_EVENT_CONNECT_ERROR ->
                    failed(
                            "the connection to "
                                    + peer
                                    + " could not be completed"
                                    + status(event.status()));
            case VerbsAbi.RDMA_CM_EVENT_REJECTED -> rejected(event, peer);
            case VerbsAbi.RDMA_CM_EVENT_DISCONNECTED ->
                    new Ending(
                            Cause.DISCONNECTED,
                            peer + " ended the connection, or its process died",
                            NO_DATA);
            case VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL ->
                    failed("the RDMA device of the connection to " + peer + " was removed");
            // TIMEWAIT_EXIT, ADDR_CHANGE and multicast events do not end live connections.
            default -> null;
        };
    }

    private static Ending rejected(CmEvent event, String peer) {
        // An iWARP peer rejects a connection with a reset, and includes its answer if it has one.
        boolean refusedByPeer =
                event.status() == VerbsAbi.IB_CM_REJ_CONSUMER_DEFINED
                        || event.status() == -Errno.ECONNRESET;
        String reason =
                switch (event.status()) {
                    case VerbsAbi.IB_CM_REJ_INVALID_SERVICE_ID ->
                            "nothing listens at " + peer + " (reject reason 8, invalid service id)";
                    case VerbsAbi.IB_CM_REJ_CONSUMER_DEFINED -> peer + " refused the connection";
                    case -Errno.ECONNRESET -> peer + " refused the connection (ECONNRESET)";
                    case -Errno.ECONNREFUSED ->
                            "nothing listens at "
                                    + peer
                                    + ", or the peer refused the connection (ECONNREFUSED)";
                    default ->
                            peer
                                    + " rejected the connection (reject reason "
                                    + event.status()
                                    + ")";
                };
        boolean carriesAnswer = refusedByPeer || event.status() == -Errno.ECONNREFUSED;
        return new Ending(Cause.REJECTED, reason, carriesAnswer ? event.privateData() : NO_DATA);
    }

    /**
     * Returns the end that a failed call reports. Devices that run over TCP may fail a call where
     * other devices report an event.
     *
     * @param failed failure of a call for a connection.
     * @param peer host and port.
     */
    static Ending of(VerbsException failed, String peer) {
        return switch (failed.errno()) {
            case Errno.ECONNREFUSED, Errno.ECONNRESET ->
                    new Ending(
                            Cause.REJECTED,
                            "nothing listens at " + peer + ": " + failed.getMessage(),
                            NO_DATA);
            case Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ENETUNREACH ->
                    new Ending(Cause.UNREACHABLE, failed.getMessage(), NO_DATA);
            default -> failed(failed.getMessage());
        };
    }

    private static Ending unreachable(String failure, CmEvent event, String explanation) {
        return new Ending(
                Cause.UNREACHABLE, failure + status(event.status()) + ": " + explanation, NO_DATA);
    }

    private static Ending failed(String reason) {
        return new Ending(Cause.FAILED, reason, NO_DATA);
    }

    private static String status(int status) {
        return status < 0 ? " (" + Errno.describe(-status) + ")" : " (status " + status + ")";
    }
}
