// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import io.verbus.transport.Networks;

import org.agrona.concurrent.status.AtomicCounter;

/** Accepts datagrams from allowed hosts only. Used by one agent; allocates nothing. */
public final class SourceFilter {
    private static final long REPORT_INTERVAL_NS = 100_000_000;

    /** Null if all hosts are allowed. */
    private final Networks networks;

    private final AtomicCounter refused;
    private final byte[] ipv4 = new byte[4];
    private final byte[] ipv6 = new byte[16];
    private boolean wasReported;
    private long reportedNs;

    /**
     * @param networks networks of the allowed hosts; null for all hosts.
     * @param refused counter of dropped datagrams; written by the agent.
     */
    public SourceFilter(Networks networks, AtomicCounter refused) {
        this.networks = networks;
        this.refused = refused;
    }

    /**
     * Returns whether to process a datagram of the last batch; counts it if not.
     *
     * @param incoming batch that contains the datagram.
     * @param index index of the datagram.
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

    /** Returns whether to report a rejected host to the conductor; rate-limited. */
    public boolean isReportDue(long nowNs) {
        if (wasReported && nowNs - reportedNs < REPORT_INTERVAL_NS) {
            return false;
        }
        wasReported = true;
        reportedNs = nowNs;
        return true;
    }
}
