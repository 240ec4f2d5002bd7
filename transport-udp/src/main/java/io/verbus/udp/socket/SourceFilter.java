// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import io.verbus.transport.Networks;

import org.agrona.concurrent.status.AtomicCounter;

/** Lets datagrams of some hosts pass. For one agent; allocates nothing. */
public final class SourceFilter {
    private static final long REPORT_INTERVAL_NS = 100_000_000;

    /** Null where all may pass. */
    private final Networks networks;

    private final AtomicCounter refused;
    private final byte[] ipv4 = new byte[4];
    private final byte[] ipv6 = new byte[16];
    private boolean wasReported;
    private long reportedNs;

    /**
     * @param networks of the hosts; null for all.
     * @param refused counts the datagrams of others; written by the agent.
     */
    public SourceFilter(Networks networks, AtomicCounter refused) {
        this.networks = networks;
        this.refused = refused;
    }

    /**
     * Whether a datagram of the last batch is to be looked at; one that is not is counted.
     *
     * @param incoming that holds it.
     * @param index of it.
     */
    public boolean admits(ReceiveBatch incoming, int index) {
        if (networks == null || isInNetworks(incoming.source(index))) {
            return true;
        }
        refused.incrementRelease();
        return false;
    }

    private boolean isInNetworks(SocketAddress source) {
        return source.copyHost(ipv4)
                ? networks.contains(ipv4)
                : source.copyHost(ipv6) && networks.contains(ipv6);
    }

    /** Whether the conductor is to hear of a host that was refused: now and then. */
    public boolean isReportDue(long nowNs) {
        if (wasReported && nowNs - reportedNs < REPORT_INTERVAL_NS) {
            return false;
        }
        wasReported = true;
        reportedNs = nowNs;
        return true;
    }
}
