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

/** Which hosts may connect at all, and how a connection is refused. Conductor's thread. */
public final class Admittance {
    /** Refusals that are told why in each {@link #REFUSAL_INTERVAL_NS}. */
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
     * @param host whose settings say which hosts may connect.
     * @param fabric that knows this host's subnets.
     * @param counters of the transport.
     * @param complaints about peers.
     */
    public Admittance(
            TransportHost host, Fabric fabric, SystemCounters counters, RdmaPeerErrors complaints) {
        this.host = host;
        this.fabric = fabric;
        this.complaints = complaints;
        allowList = AllowList.of(host);
        refused = counters.counter(TransportCounter.RDMA_REFUSED);
        unauthenticated = counters.counter(TransportCounter.RDMA_UNAUTHENTICATED);
        keys = new KeyRing(host);
    }

    /** The keys that hosts must prove to have. */
    public KeyRing keys() {
        return keys;
    }

    /** Timers. */
    public void work(long nowNs) {
        keys.work(nowNs);
    }

    /**
     * A peer does not have the key of its network.
     *
     * @param peer that is refused.
     * @param local address at which it arrived, or from which it was asked.
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
        String name = hostOf(peer);
        String refusal = allowList.refusal(name, local);
        complaints.record(RdmaPeerErrors.Kind.NOT_ALLOWED, name, refusal);
        onRefused(peer, local, refusal);
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
     * Whether there is time to tell a peer and the logs why it is refused; otherwise its connection
     * is just closed. So many strangers who ask at once do not keep the conductor from its work.
     */
    public boolean hasTimeToRefuse(long nowNs) {
        if (refusals == 0 || nowNs - refusalsUntilNs >= 0) {
            refusalsUntilNs = nowNs + REFUSAL_INTERVAL_NS;
            refusals = 0;
        }
        return refusals++ < MAX_REFUSALS;
    }

    /**
     * Refuses a connection, of which nothing is left then.
     *
     * @param connection that is asked for.
     * @param answer for the peer.
     */
    public void refuse(Connection connection, byte[] answer) {
        String name = hostOf(connection.remoteAddress());
        connection.reject(
                answer,
                failure ->
                        complaints.record(
                                RdmaPeerErrors.Kind.NOT_ACCEPTED,
                                name,
                                "cannot refuse a connection of "
                                        + name
                                        + ": "
                                        + failure.getMessage()));
    }

    /** What a peer is called: without its port, which differs from connection to connection. */
    public static String hostOf(InetSocketAddress address) {
        return address == null || address.getAddress() == null
                ? "an unknown address"
                : address.getAddress().getHostAddress();
    }
}
