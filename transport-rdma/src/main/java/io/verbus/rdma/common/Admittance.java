// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.transport.TransportSettings;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;

/** Which hosts may connect at all, and how a connection is refused. Conductor's thread. */
public final class Admittance {
    private final Fabric fabric;
    private final AllowList allowList;
    private final AtomicCounter refused;
    private final RdmaPeerErrors complaints;

    /**
     * @param settings that say which hosts may connect.
     * @param fabric that knows this host's subnets.
     * @param counters of the transport.
     * @param complaints about peers.
     */
    public Admittance(
            TransportSettings settings,
            Fabric fabric,
            SystemCounters counters,
            RdmaPeerErrors complaints) {
        this.fabric = fabric;
        this.complaints = complaints;
        allowList = AllowList.of(settings);
        refused = counters.counter("connections refused by verbus.rdma.allow");
    }

    /**
     * Whether a host may connect; one that may not is counted, and recorded once.
     *
     * @param peer that asks.
     * @param local address at which the peer arrives; null if it is not known.
     */
    public boolean admits(InetSocketAddress peer, InetSocketAddress local) {
        if (allowList.allows(peer, local, fabric)) {
            return true;
        }
        refused.incrementRelease();
        String host = hostOf(peer);
        complaints.record(RdmaPeerErrors.Kind.NOT_ALLOWED, host, allowList.refusal(host, local));
        return false;
    }

    /**
     * Why nobody can connect to an address of this host, with the remedy.
     *
     * @param local address that is listened at.
     * @return null if somebody can, or if it is the address of all interfaces.
     */
    public String closed(InetSocketAddress local) {
        return local.getAddress().isAnyLocalAddress() || !allowList.isNobodyAllowed(local, fabric)
                ? null
                : "WARN: nobody may connect to "
                        + hostOf(local)
                        + ", which is alone in its subnet: name the peers in verbus.rdma.allow";
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
