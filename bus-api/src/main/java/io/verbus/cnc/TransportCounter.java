// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Transport-wide counters, of type {@link CounterTypes#DRIVER}. They exist while a driver has the
 * transport open. Each has a single writer, which its Javadoc names.
 */
public enum TransportCounter {
    /** Errors that exceed the error log's share for peers. Written by the conductor. */
    RDMA_PEER_ERRORS_UNLOGGED(1000, "rdma: errors caused by peers but not logged"),
    /** Messages of publishing drivers that violate the protocol. Written by the conductor. */
    RDMA_VIOLATIONS(1001, "rdma: protocol violations by publishing drivers"),
    /** Connections from addresses that are not allowed. Written by the conductor. */
    RDMA_REFUSED(1002, "rdma: connections refused by verbus.rdma.allow"),
    /** Connections that offered no stream. Written by the conductor. */
    RDMA_HALF_OPEN(1003, "rdma: connections closed without offering a stream"),
    /**
     * Moves of a multi-source stream between a source's log and the image's log. Written by the
     * conductor.
     */
    RDMA_MOVES(1004, "rdma: streams moved to another log"),
    /** Announcements received from receivers. Written by the conductor. */
    RDMA_ANNOUNCED(1005, "rdma: receiver announcements"),
    /** Announcements of this driver's receivers. Written by the conductor. */
    RDMA_ANNOUNCING(1006, "rdma: announcements to control addresses"),
    /** Written by the conductor. */
    RDMA_ROCE_V1(1007, "rdma: connections over RoCE v1"),
    /** Written by the conductor. */
    RDMA_LINK_LOCAL(1008, "rdma: connections over a link-local GID"),
    /** Written by the conductor. */
    RDMA_LINK_LAYER(1009, "rdma: connections over an unexpected link layer"),
    /** Written by the conductor. */
    RDMA_SMALL_MTU(1010, "rdma: connections over an MTU below the port's"),
    /** Connections and announcements without the key of their network. Written by the conductor. */
    RDMA_UNAUTHENTICATED(1011, "rdma: connections refused for lack of a valid key"),
    /** Listeners whose device is currently gone. Written by the conductor. */
    RDMA_LISTENERS_LOST(1012, "rdma: listeners waiting for their device"),
    /** Written by the conductor. */
    RDMA_DISORDER(1013, "rdma: connections over adapters that may reorder writes"),
    /** Connections with safe order. Written by the conductor. */
    RDMA_CONFIRMED(1014, "rdma: connections whose commits wait for confirmation"),

    /** Gaps still open after the NAK delay. Written by the receiver. */
    UDP_LOSSES(1100, "udp: losses"),
    /** Frames that had already arrived. Written by the receiver. */
    UDP_DUPLICATES(1101, "udp: duplicate frames"),
    /** Frames that no correct sender sends. Written by the receiver. */
    UDP_INVALID_FROM_SENDERS(1102, "udp: invalid frames from senders"),
    /** Streams that have a subscription but get no image. Written by the receiver. */
    UDP_SETUPS_REFUSED(1103, "udp: set-ups refused"),
    /** Rejected streams, and answers that the kernel does not send. Written by the conductor. */
    UDP_PEER_ERRORS(1104, "udp: errors caused by peers"),
    /** Answers to RTTM frames. Written by the receiver. */
    UDP_ROUND_TRIPS(1105, "udp: round trips measured"),
    /** Status messages and NAKs that the kernel did not accept. Written by the receiver. */
    UDP_RECEIVER_SHORT_SENDS(1106, "udp: short sends by the receiver"),
    /** System calls to receive and to answer. Written by the receiver. */
    UDP_RECEIVER_SYSTEM_CALLS(1107, "udp: receiver system calls"),
    /** Datagrams coalesced by the kernel count as one. Written by the receiver. */
    UDP_DATAGRAMS_RECEIVED(1108, "udp: datagrams received"),
    /** Coalesced datagrams, longer than the MTU. Written by the receiver. */
    UDP_DATAGRAMS_RECEIVED_JOINED(1109, "udp: coalesced datagrams received (GRO)"),
    /** NAKs for ranges that are not available or were just resent. Written by the sender. */
    UDP_NAKS_IGNORED(1110, "udp: NAKs ignored"),
    /** Frames that no correct receiver sends. Written by the sender. */
    UDP_INVALID_FROM_RECEIVERS(1111, "udp: invalid frames from receivers"),
    /** Status messages of receivers beyond {@code max-receivers}. Written by the sender. */
    UDP_RECEIVERS_REFUSED(1112, "udp: receivers refused"),
    /** Datagrams of the sender that the kernel did not accept. Written by the sender. */
    UDP_SENDER_SHORT_SENDS(1113, "udp: short sends"),
    /** System calls to send and to receive. Written by the sender. */
    UDP_SENDER_SYSTEM_CALLS(1114, "udp: sender system calls"),
    /** All datagrams. Written by the sender. */
    UDP_DATAGRAMS_SENT(1115, "udp: datagrams sent"),
    /** Coalesced datagrams. Written by the sender. */
    UDP_DATAGRAMS_SENT_JOINED(1116, "udp: coalesced datagrams sent (GSO)"),
    /** Datagrams from addresses that may not send. Written by the receiver. */
    UDP_RECEIVER_NOT_ALLOWED(1117, "udp: datagrams to the receiver refused by verbus.udp.allow"),
    /** Datagrams from addresses that may not answer. Written by the sender. */
    UDP_SENDER_NOT_ALLOWED(1118, "udp: datagrams to the sender refused by verbus.udp.allow"),
    /** Frames of a stream from an address other than its sender's. Written by the receiver. */
    UDP_FORGED(1119, "udp: forged frames"),
    /** Needed for {@code media-rcv-ts-offset}. Written by the receiver. */
    UDP_KERNEL_TIMESTAMPS(1120, "udp: datagrams with a kernel timestamp"),
    /** Needed for {@code media-rcv-ts-offset}. Written by the receiver. */
    UDP_ADAPTER_TIMESTAMPS(1121, "udp: datagrams with an adapter timestamp");

    private final int number;
    private final String label;

    TransportCounter(int number, String label) {
        this.number = number;
        this.label = label;
    }

    /** Returns the number in the key, which is the same in every release. */
    public int number() {
        return number;
    }

    /** Returns the human-readable label. */
    public String label() {
        return label;
    }
}
