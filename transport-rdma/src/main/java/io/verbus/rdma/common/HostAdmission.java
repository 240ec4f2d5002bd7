// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.auth.KeyRing;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Determines which hosts may connect, and refuses connections. Used by the conductor's thread. */
public final class HostAdmission {
    /** Maximum number of answered refusals per {@link #REFUSAL_INTERVAL_NS}. */
    private static final int MAX_REFUSALS = 100;

    private static final long REFUSAL_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final Fabric fabric;
    private final AllowList allowList;
    private final AtomicCounter refused;
    private final AtomicCounter unauthenticated;
    private final TransportHost host;
    private final KeyRing keys;
    private final RdmaPeerErrors complaints;
    private long refusalsUntilNs;
    private int refusals;

    /**
     * @param host driver whose settings specify which hosts may connect.
     * @param fabric fabric that knows this host's subnets.
     * @param counters counters of the transport.
     * @param complaints error records of peers.
     */
    public HostAdmission(
            TransportHost host, Fabric fabric, SystemCounters counters, RdmaPeerErrors complaints) {
        this.host = host;
        this.fabric = fabric;
        this.complaints = complaints;
        allowList = AllowList.of(host);
        refused = counters.counter(TransportCounter.RDMA_REFUSED);
        unauthenticated = counters.counter(TransportCounter.RDMA_UNAUTHENTICATED);
        keys = new KeyRing(host);
    }

    /** Returns the keys whose possession hosts must prove. */
    public KeyRing keys() {
        return keys;
    }

    /** Runs the timers. */
    public void work(long nowNs) {
        keys.work(nowNs);
    }

    /**
     * Records a peer that does not have the key of its network.
     *
     * @param peer refused peer.
     * @param local address at which the request arrived, or from which this side connected.
     * @param message cause and remedy.
     */
    public void onUnauthenticated(InetSocketAddress peer, InetSocketAddress local, String message) {
        unauthenticated.incrementRelease();
        complaints.record(RdmaPeerErrors.Kind.NOT_AUTHENTICATED, hostOf(peer), message);
        onRefused(peer, local, message);
    }

    /** Writes to the audit log that a peer was admitted. */
    public void onAdmitted(InetSocketAddress peer, InetSocketAddress local, String how) {
        host.audit("admitted rdma peer=" + text(peer) + " at=" + text(local) + " " + how);
    }

    /** Writes to the audit log that a peer was refused. */
    public void onRefused(InetSocketAddress peer, InetSocketAddress local, String reason) {
        host.audit("refused rdma peer=" + text(peer) + " at=" + text(local) + " reason=" + reason);
    }

    private static String text(InetSocketAddress address) {
        return hostOf(address) + (address == null ? "" : ":" + address.getPort());
    }

    /**
     * Returns whether a host may connect; a refusal is counted, and recorded once.
     *
     * @param peer address of the peer.
     * @param local address at which the peer arrives; null if unknown.
     */
    public boolean admits(InetSocketAddress peer, InetSocketAddress local) {
        if (allowList.allows(peer, local, fabric)) {
            return true;
        }
        refused.incrementRelease();
        String name = hostOf(peer);
        String refusal = allowList.refusal(name, local);
        complaints.record(RdmaPeerErrors.Kind.NOT_ALLOWED, name, refusal);
        onRefused(peer, local, refusal);
        return false;
    }

    /**
     * Explains why no peer can connect to a local address, with the remedy.
     *
     * @param local listening address.
     * @return null if some peer can connect, or if the address is that of all interfaces.
     */
    public String closed(InetSocketAddress local) {
        return local.getAddress().isAnyLocalAddress() || !allowList.isNobodyAllowed(local, fabric)
                ? null
                : "WARN: no peer may connect to "
                        + hostOf(local)
                        + ", whose subnet contains no other address: list the peers in"
                        + " verbus.rdma.allow";
    }

    /**
     * Returns whether to tell a refused peer and the logs the reason; otherwise its connection is
     * just closed. Limits the work that many unauthenticated peers can cause for the conductor.
     */
    public boolean hasTimeToRefuse(long nowNs) {
        if (refusals == 0 || nowNs - refusalsUntilNs >= 0) {
            refusalsUntilNs = nowNs + REFUSAL_INTERVAL_NS;
            refusals = 0;
        }
        return refusals++ < MAX_REFUSALS;
    }

    /**
     * Refuses a connection and closes it.
     *
     * @param connection requested connection.
     * @param answer answer to the peer.
     */
    public void refuse(Connection connection, byte[] answer) {
        String name = hostOf(connection.remoteAddress());
        connection.reject(
                answer,
                failure ->
                        complaints.record(
                                RdmaPeerErrors.Kind.NOT_ACCEPTED,
                                name,
                                "cannot reject the connection from "
                                        + name
                                        + ": "
                                        + failure.getMessage()));
    }

    /**
     * Returns a peer's name in messages: its address without the port, which differs per
     * connection.
     */
    public static String hostOf(InetSocketAddress address) {
        return address == null || address.getAddress() == null
                ? "an unknown address"
                : address.getAddress().getHostAddress();
    }
}
