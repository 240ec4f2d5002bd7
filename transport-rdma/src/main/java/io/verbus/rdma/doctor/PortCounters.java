// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import java.util.Set;

/**
 * Counters of a port or its network interface that should not increase, grouped by the cause of an
 * increase. Names are those of the kernel, of mlx5 and of rdma_rxe.
 */
enum PortCounters {
    LINK(
            "link errors",
            "check the cable, the transceiver and the switch port",
            Set.of(
                    "symbol_error",
                    "link_error_recovery",
                    "link_downed",
                    "port_rcv_errors",
                    "port_rcv_remote_physical_errors",
                    "local_link_integrity_errors",
                    "excessive_buffer_overrun_errors",
                    "rx_crc_errors",
                    "rx_errors",
                    "tx_errors",
                    "carrier_changes")),

    LOSS(
            "lost or retransmitted packets",
            "make the fabric lossless for the bus's priority (PFC), or find the switch that drops"
                    + " packets",
            Set.of(
                    "out_of_sequence",
                    "out_of_seq_request",
                    "packet_seq_err",
                    "rcvd_seq_err",
                    "implied_nak_seq_err",
                    "duplicate_request",
                    "local_ack_timeout_err",
                    "completer_retry_err",
                    "req_transport_retries_exceeded",
                    "retry_exceeded_err",
                    "roce_slow_restart",
                    "rx_icrc_encapsulated",
                    "port_xmit_discards",
                    "VL15_dropped",
                    "send_err",
                    "rx_dropped",
                    "tx_dropped",
                    "rx_missed_errors")),

    RECEIVER(
            "receivers that were not ready",
            "give the drivers more CPU time, or raise verbus.rdma.receive-depth",
            Set.of(
                    "rnr_nak_retry_err",
                    "rcvd_rnr_err",
                    "send_rnr_err",
                    "retry_rnr_exceeded_err",
                    "out_of_buffer")),

    CONGESTION(
            "congestion",
            "find the link that is too slow or shared with bulk traffic, and give the bus a"
                    + " priority of its own",
            Set.of(
                    "np_ecn_marked_roce_packets",
                    "np_cnp_sent",
                    "rp_cnp_handled",
                    "rp_cnp_ignored",
                    "port_xmit_wait"));

    /** Description in the plural. */
    final String meaning;

    final String remedy;
    final Set<String> names;

    PortCounters(String meaning, String remedy, Set<String> names) {
        this.meaning = meaning;
        this.remedy = remedy;
        this.names = names;
    }
}
