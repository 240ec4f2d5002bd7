// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * The hosts whose datagrams are looked at, from the option {@link #ALLOW}; all of them unless it is
 * set. For one agent, that allocates nothing here.
 */
public final class AllowedSources {
    private static final long REPORT_INTERVAL_NS = 100_000_000;
    private static final String ALL = "all";

    /** Networks of peers. */
    public static final Option<String> ALLOW =
            Option.of(
                    "udp.allow",
                    ALL,
                    "IPv4 and IPv6 networks and addresses with commas between them, or all",
                    "Networks whose hosts' datagrams are taken; the driver drops those of others.",
                    text -> text);

    /** Null where all are allowed. */
    private final Networks networks;

    private final AtomicCounter refused;
    private final byte[] ipv4 = new byte[4];
    private final byte[] ipv6 = new byte[16];
    private boolean wasReported;
    private long reportedNs;

    /**
     * @param networks as {@link #networks} reads them.
     * @param refused counts datagrams; written by the agent.
     */
    public AllowedSources(Networks networks, AtomicCounter refused) {
        this.networks = networks;
        this.refused = refused;
    }

    /**
     * Reads the option.
     *
     * @return the networks; null where all hosts are allowed.
     * @throws TransportException that names the part that is no network.
     */
    public static Networks networks(TransportSettings settings) {
        String text = ALLOW.read(settings);
        return text.equals(ALL) ? null : Networks.of(ALLOW.name(), text);
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

    /** What the error log is told of a host that was refused. */
    public static String refusal(String host) {
        return "datagrams of "
                + host
                + " are dropped: if the host may take part, add it to verbus.udp.allow";
    }
}
