// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.transport.TransportSettings;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;

/** Which hosts may connect at all, and how a connection is refused. Conductor's thread. */
public final class Admittance {
    private final AllowList allowList;
    private final AtomicCounter refused;
    private final RdmaPeerErrors complaints;

    /**
     * @param settings that say which hosts may connect.
     * @param counters of the transport.
     * @param complaints about peers.
     */
    public Admittance(
            TransportSettings settings, SystemCounters counters, RdmaPeerErrors complaints) {
        this.complaints = complaints;
        allowList = AllowList.of(settings);
        refused = counters.counter(TransportCounter.RDMA_REFUSED);
    }

    /** Whether a host may connect; one that may not is counted, and recorded once. */
    public boolean admits(InetSocketAddress peer) {
        if (allowList.allows(peer)) {
            return true;
        }
        refused.incrementRelease();
        String host = hostOf(peer);
        complaints.record(
                RdmaPeerErrors.Kind.NOT_ALLOWED,
                host,
                "a connection from "
                        + host
                        + " was refused: if the host may connect, add it to verbus.rdma.allow");
        return false;
    }

    /**
     * Refuses a connection, of which nothing is left then.
     *
     * @param connection that is asked for.
     * @param answer for the peer.
     */
    public void refuse(Connection connection, byte[] answer) {
        String host = hostOf(connection.remoteAddress());
        try {
            connection.reject(answer);
        } catch (FabricException e) {
            complaints.record(
                    RdmaPeerErrors.Kind.NOT_ACCEPTED,
                    host,
                    "cannot refuse a connection of " + host + ": " + e.getMessage());
        }
        connection.close();
        if (connection.domain() != null) {
            connection.domain().close();
        }
    }

    /** What a peer is called: without its port, which differs from connection to connection. */
    public static String hostOf(InetSocketAddress address) {
        return address == null || address.getAddress() == null
                ? "an unknown address"
                : address.getAddress().getHostAddress();
    }
}
