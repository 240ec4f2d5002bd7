// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/**
 * Counters of a transport as a whole, of type {@link CounterTypes#DRIVER}. Each is there while a
 * driver has the transport, and has one writer.
 */
public enum TransportCounter {
    /** Errors beyond those that the error log has room for. Conductor. */
    RDMA_PEER_ERRORS_UNLOGGED(1000, "rdma: errors caused by peers that are not logged"),
    /** Messages of publishing drivers that break the protocol. Conductor. */
    RDMA_VIOLATIONS(1001, "rdma: protocol violations of publishing drivers"),
    /** Connections of addresses that are not allowed. Conductor. */
    RDMA_REFUSED(1002, "rdma: connections refused by verbus.rdma.allow"),
    /** Connections without a stream. Conductor. */
    RDMA_HALF_OPEN(1003, "rdma: connections given up that offered nothing"),
    /** Moves of a source of several to the image's log, or back. Conductor. */
    RDMA_MOVES(1004, "rdma: streams moved to another log"),
    /** Receivers that came by themselves. Conductor. */
    RDMA_ANNOUNCED(1005, "rdma: announcements of receivers"),
    /** Times that this driver announced a receiver. Conductor. */
    RDMA_ANNOUNCING(1006, "rdma: announcements at control addresses"),
    /** Conductor. */
    RDMA_ROCE_V1(1007, "rdma: connections over RoCE v1"),
    /** Conductor. */
    RDMA_LINK_LOCAL(1008, "rdma: connections over a link-local GID"),
    /** Conductor. */
    RDMA_LINK_LAYER(1009, "rdma: connections over an unexpected link layer"),
    /** Conductor. */
    RDMA_SMALL_MTU(1010, "rdma: connections over an MTU below the port's"),
    /** Connections and announcements without the key of their network. Conductor. */
    RDMA_UNAUTHENTICATED(1011, "rdma: connections refused for want of a key"),
    /** Places to receive at whose device is gone, now. Conductor. */
    RDMA_LISTENERS_LOST(1012, "rdma: listeners that wait for their device"),
    /** Conductor. */
    RDMA_DISORDER(1013, "rdma: connections over adapters that may place out of order"),
    /** Connections with safe order. Conductor. */
    RDMA_CONFIRMED(1014, "rdma: connections whose commits wait for confirmation"),

    /** Gaps that stayed open for the NAK delay. Receiver. */
    UDP_LOSSES(1100, "udp: losses"),
    /** Frames that were there already. Receiver. */
    UDP_DUPLICATES(1101, "udp: duplicate frames"),
    /** What no sender sends. Receiver. */
    UDP_INVALID_FROM_SENDERS(1102, "udp: invalid frames of senders"),
    /** Streams with a subscription and without an image. Receiver. */
    UDP_SETUPS_REFUSED(1103, "udp: set-ups refused"),
    /** Refused streams, and answers that the kernel refuses. Conductor. */
    UDP_PEER_ERRORS(1104, "udp: errors caused by peers"),
    /** Answers to RTTM. Receiver. */
    UDP_ROUND_TRIPS(1105, "udp: round trips measured"),
    /** Status messages and NAKs that the kernel did not take. Receiver. */
    UDP_RECEIVER_SHORT_SENDS(1106, "udp: short sends of the receiver"),
    /** To receive and to answer. Receiver. */
    UDP_RECEIVER_SYSTEM_CALLS(1107, "udp: system calls of the receiver"),
    /** Those that the kernel joined count as one. Receiver. */
    UDP_DATAGRAMS_RECEIVED(1108, "udp: datagrams received"),
    /** Rows of frames longer than the MTU. Receiver. */
    UDP_DATAGRAMS_RECEIVED_JOINED(1109, "udp: datagrams received joined (GRO)"),
    /** Requests for ranges that are not there or were just sent. Sender. */
    UDP_NAKS_IGNORED(1110, "udp: NAKs ignored"),
    /** What no receiver sends. Sender. */
    UDP_INVALID_FROM_RECEIVERS(1111, "udp: invalid frames of receivers"),
    /** Status messages of receivers beyond {@code max-receivers}. Sender. */
    UDP_RECEIVERS_REFUSED(1112, "udp: receivers refused"),
    /** What the kernel did not take of the sender. Sender. */
    UDP_SENDER_SHORT_SENDS(1113, "udp: short sends"),
    /** To send and to receive. Sender. */
    UDP_SENDER_SYSTEM_CALLS(1114, "udp: system calls of the sender"),
    /** Datagrams. Sender. */
    UDP_DATAGRAMS_SENT(1115, "udp: datagrams sent"),
    /** Those handed to the kernel joined. Sender. */
    UDP_DATAGRAMS_SENT_JOINED(1116, "udp: datagrams sent joined (GSO)"),
    /** Of addresses that may not send. Receiver. */
    UDP_RECEIVER_NOT_ALLOWED(1117, "udp: datagrams to the receiver refused by verbus.udp.allow"),
    /** Of addresses that may not answer. Sender. */
    UDP_SENDER_NOT_ALLOWED(1118, "udp: datagrams to the sender refused by verbus.udp.allow"),
    /** Frames of streams from addresses other than that of the stream's sender. Receiver. */
    UDP_FORGED(1119, "udp: forged frames");

    private final int number;
    private final String label;

    TransportCounter(int number, String label) {
        this.number = number;
        this.label = label;
    }

    /** The number in the key: the same in each release. */
    public int number() {
        return number;
    }

    /** What it counts, for people. */
    public String label() {
        return label;
    }
}
