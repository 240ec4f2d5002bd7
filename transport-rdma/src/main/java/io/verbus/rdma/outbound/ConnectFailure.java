// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.RdmaPeerErrors.Kind;
import io.verbus.rdma.fabric.FabricHandler.Cause;

/**
 * Why an attempt to connect has failed.
 *
 * @param message cause and remedy.
 * @param kind kind under which the failure is recorded.
 * @param isByDriver whether a driver has rejected the connection.
 * @param isClosed whether no subscription listens at the address.
 */
record ConnectFailure(String message, Kind kind, boolean isByDriver, boolean isClosed) {
    /**
     * @param name address of the peer, for messages.
     * @param cause how the attempt has ended.
     * @param reason reason that the fabric gives.
     * @param privateData the peer's answer; without a hello unless a driver has rejected the
     *     connection.
     */
    static ConnectFailure of(String name, Cause cause, String reason, byte[] privateData) {
        boolean isRejected = cause == Cause.REJECTED;
        Hello hello = isRejected ? Hello.read(privateData) : null;
        if (hello == null) {
            return new ConnectFailure(
                    "cannot connect to " + name + ": " + reason,
                    Kind.NOT_CONNECTED,
                    false,
                    isRejected);
        }
        String driver = "the driver at " + name;
        return switch (hello.rejectCode()) {
            case VERSION_MISMATCH -> byDriver(hello.versions().differ(driver), Kind.OTHER_VERSION);
            case NOT_ALLOWED ->
                    byDriver(
                            driver
                                    + " does not allow this host: add this host to that driver's"
                                    + " rdma.allow",
                            Kind.NOT_ALLOWED);
            case NO_RESOURCES ->
                    byDriver(
                            driver
                                    + " accepts no more connections: raise that driver's"
                                    + " rdma.max-peers",
                            Kind.NO_ROOM);
            case NOT_AUTHENTICATED ->
                    byDriver(
                            driver
                                    + " rejected this driver, which lacks the network's key: use"
                                    + " the same rdma.key-file on both hosts",
                            Kind.NOT_AUTHENTICATED);
            case ENDPOINT_CLOSED ->
                    new ConnectFailure(
                            name + " is no longer used by any subscription",
                            Kind.NOT_CONNECTED,
                            true,
                            true);
            default ->
                    byDriver(
                            driver + " rejected the connection: see that driver's error log",
                            Kind.NOT_CONNECTED);
        };
    }

    private static ConnectFailure byDriver(String message, Kind kind) {
        return new ConnectFailure(message, kind, true, false);
    }
}
