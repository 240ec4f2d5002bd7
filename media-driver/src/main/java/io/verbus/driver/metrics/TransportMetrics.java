// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.TransportCounter;
import io.verbus.driver.metrics.Metric.KeyForm;
import io.verbus.driver.metrics.Metric.Unit;

import java.util.List;

/** Metrics of whole transports, and of RDMA connections and devices. */
final class TransportMetrics {
    static final List<Metric> ALL =
            List.of(
                    of(
                            TransportCounter.RDMA_PEER_ERRORS_UNLOGGED,
                            "rdma_peer_errors_unlogged_total",
                            "Errors caused by peers that were counted but not logged."),
                    of(
                            TransportCounter.RDMA_VIOLATIONS,
                            "rdma_protocol_violations_total",
                            "Messages from publishing drivers that violated the protocol."),
                    of(
                            TransportCounter.RDMA_REFUSED,
                            "rdma_connections_refused_total",
                            "Connections refused because their address is not allowed."),
                    of(
                            TransportCounter.RDMA_UNAUTHENTICATED,
                            "rdma_connections_unauthenticated_total",
                            "Connections refused because the peer did not prove that it has the"
                                    + " key."),
                    of(
                            TransportCounter.RDMA_HALF_OPEN,
                            "rdma_connections_half_open_total",
                            "Connections closed because they offered no stream."),
                    of(
                            TransportCounter.RDMA_MOVES,
                            "rdma_stream_moves_total",
                            "Number of times that a stream moved between the image's log and its"
                                    + " source's own log."),
                    of(
                            TransportCounter.RDMA_ANNOUNCED,
                            "rdma_receivers_announced_total",
                            "Announcements received from receivers."),
                    of(
                            TransportCounter.RDMA_ANNOUNCING,
                            "rdma_announcements_sent_total",
                            "Announcements sent to control addresses."),
                    of(
                            TransportCounter.RDMA_ROCE_V1,
                            "rdma_roce_v1_connections_total",
                            "Connections over RoCE v1, which routers do not forward."),
                    of(
                            TransportCounter.RDMA_LINK_LOCAL,
                            "rdma_link_local_connections_total",
                            "Connections over a link-local GID."),
                    of(
                            TransportCounter.RDMA_LINK_LAYER,
                            "rdma_other_link_layer_connections_total",
                            "Connections over an unexpected link layer."),
                    of(
                            TransportCounter.RDMA_SMALL_MTU,
                            "rdma_small_mtu_connections_total",
                            "Connections whose path MTU is below the port's."),
                    of(
                            TransportCounter.RDMA_LISTENERS_LOST,
                            "rdma_listeners_lost",
                            "Endpoints that are waiting for their RDMA device to return."),
                    of(
                            TransportCounter.RDMA_DISORDER,
                            "rdma_unordered_connections_total",
                            "Connections over adapters that may place writes out of order."),
                    of(
                            TransportCounter.RDMA_CONFIRMED,
                            "rdma_confirmed_connections_total",
                            "Connections that commit only confirmed batches (rdma.order=safe)."),
                    of(
                            TransportCounter.UDP_LOSSES,
                            "udp_losses_total",
                            "Gaps that were still open after the NAK delay."),
                    of(
                            TransportCounter.UDP_DUPLICATES,
                            "udp_duplicate_frames_total",
                            "Duplicate frames."),
                    of(
                            TransportCounter.UDP_INVALID_FROM_SENDERS,
                            "udp_invalid_sender_frames_total",
                            "Invalid frames from senders."),
                    of(
                            TransportCounter.UDP_SETUPS_REFUSED,
                            "udp_setups_refused_total",
                            "Streams that got no image because a limit was reached or space ran"
                                    + " out."),
                    of(
                            TransportCounter.UDP_PEER_ERRORS,
                            "udp_peer_errors_total",
                            "Rejected streams, and answers that the kernel did not send."),
                    of(
                            TransportCounter.UDP_ROUND_TRIPS,
                            "udp_round_trips_total",
                            "Round trips measured with RTTM frames, for cc=cubic."),
                    of(
                            TransportCounter.UDP_RECEIVER_SHORT_SENDS,
                            "udp_receiver_short_sends_total",
                            "Status messages and NAKs that the kernel did not accept."),
                    of(
                            TransportCounter.UDP_RECEIVER_SYSTEM_CALLS,
                            "udp_receiver_system_calls_total",
                            "System calls made by the receiver."),
                    of(
                            TransportCounter.UDP_DATAGRAMS_RECEIVED,
                            "udp_datagrams_received_total",
                            "Datagrams received; datagrams that the kernel coalesced count as"
                                    + " one."),
                    of(
                            TransportCounter.UDP_DATAGRAMS_RECEIVED_JOINED,
                            "udp_datagrams_received_joined_total",
                            "Coalesced datagrams received from the kernel (GRO)."),
                    of(
                            TransportCounter.UDP_NAKS_IGNORED,
                            "udp_naks_ignored_total",
                            "NAKs for ranges that are not in the log or were just sent."),
                    of(
                            TransportCounter.UDP_INVALID_FROM_RECEIVERS,
                            "udp_invalid_receiver_frames_total",
                            "Invalid frames from receivers."),
                    of(
                            TransportCounter.UDP_RECEIVERS_REFUSED,
                            "udp_receivers_refused_total",
                            "Status messages from receivers beyond udp.max-receivers."),
                    of(
                            TransportCounter.UDP_SENDER_SHORT_SENDS,
                            "udp_sender_short_sends_total",
                            "Sends that the kernel refused or had no room for."),
                    of(
                            TransportCounter.UDP_SENDER_SYSTEM_CALLS,
                            "udp_sender_system_calls_total",
                            "System calls made by the sender."),
                    of(
                            TransportCounter.UDP_DATAGRAMS_SENT,
                            "udp_datagrams_sent_total",
                            "Datagrams sent."),
                    of(
                            TransportCounter.UDP_DATAGRAMS_SENT_JOINED,
                            "udp_datagrams_sent_joined_total",
                            "Coalesced datagrams passed to the kernel (GSO)."),
                    of(
                            TransportCounter.UDP_RECEIVER_NOT_ALLOWED,
                            "udp_receiver_refused_datagrams_total",
                            "Datagrams to the receiver from addresses that are not allowed."),
                    of(
                            TransportCounter.UDP_SENDER_NOT_ALLOWED,
                            "udp_sender_refused_datagrams_total",
                            "Datagrams to the sender from addresses that are not allowed."),
                    of(
                            TransportCounter.UDP_FORGED,
                            "udp_forged_frames_total",
                            "Frames from an address other than that of their stream's sender."),
                    of(
                            TransportCounter.UDP_KERNEL_TIMESTAMPS,
                            "udp_kernel_timestamps_total",
                            "Datagrams that the kernel timestamped, for media-rcv-ts-offset."),
                    of(
                            TransportCounter.UDP_ADAPTER_TIMESTAMPS,
                            "udp_adapter_timestamps_total",
                            "Datagrams that the network adapter timestamped, for"
                                    + " media-rcv-ts-offset."),
                    of(
                            ConnectionCounter.STATE,
                            "rdma_connection_state",
                            Unit.STATE,
                            KeyForm.CONNECTION,
                            "State of a connection: 0 down, 1 connecting, 2 up."),
                    of(
                            ConnectionCounter.QUEUE_PAIR,
                            "rdma_connection_queue_pair",
                            Unit.STATE,
                            KeyForm.CONNECTION,
                            "Number of the queue pair on its device; 0 if there is none."),
                    of(
                            ConnectionCounter.CONNECTS,
                            "rdma_connection_connects_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Number of times that the connection was established."),
                    of(
                            ConnectionCounter.RESUMES,
                            "rdma_connection_resumes_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Streams that resumed after a lost connection."),
                    of(
                            ConnectionCounter.FAILURES,
                            "rdma_connection_failures_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Number of times that the connection was lost or could not be"
                                    + " established."),
                    of(
                            ConnectionCounter.BYTES,
                            "rdma_connection_written_bytes_total",
                            Unit.BYTES,
                            KeyForm.CONNECTION,
                            "Bytes written to the peer: log data, or credit at the subscribing"
                                    + " driver."),
                    of(
                            ConnectionCounter.BATCHES,
                            "rdma_connection_batches_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Frame batches written, or credit grants at the subscribing driver."),
                    of(
                            ConnectionCounter.WORK_REQUESTS,
                            "rdma_connection_work_requests_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Work requests posted."),
                    of(
                            ConnectionCounter.COMPLETIONS,
                            "rdma_connection_completions_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Completions polled."),
                    of(
                            ConnectionCounter.SEND_QUEUE_STALLS,
                            "rdma_connection_send_queue_stalls_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Number of times that a write waited for room in the send queue."),
                    of(
                            ConnectionCounter.CREDIT_STALLS,
                            "rdma_connection_credit_stalls_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Number of times that frames waited for credit from the peer."),
                    of(
                            ConnectionCounter.VIOLATIONS,
                            "rdma_connection_protocol_violations_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Messages from the peer that violated the protocol."),
                    of(
                            ConnectionCounter.LAST_FAILURE,
                            "rdma_connection_described_failures_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION,
                            "Number of failures when the reason in the label was last updated."),
                    of(
                            ConnectionCounter.IMAGE_STATE,
                            "rdma_image_state",
                            Unit.STATE,
                            KeyForm.CONNECTION_IMAGE,
                            "State of an image: 1 written, 2 held, 3 closing, 4 ended, 5 being"
                                    + " registered, 0 gone."),
                    of(
                            ConnectionCounter.IMAGE_GRANTS,
                            "rdma_image_credit_grants_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION_IMAGE,
                            "Credit grants."),
                    of(
                            ConnectionCounter.IMAGE_RESUMES,
                            "rdma_image_resumes_total",
                            Unit.COUNT,
                            KeyForm.CONNECTION_IMAGE,
                            "Number of times that the image resumed after its connection was"
                                    + " lost."),
                    new Metric(
                            CounterTypes.DEVICE,
                            Metric.ANY,
                            "verbus_rdma_port_state",
                            Unit.STATE,
                            KeyForm.DEVICE,
                            "State of an RDMA device's port: 4 active, 3 armed, 2 initialising,"
                                    + " 1 down, 0 gone."));

    private TransportMetrics() {}

    private static Metric of(TransportCounter counter, String name, String help) {
        return new Metric(
                CounterTypes.DRIVER,
                counter.number(),
                "verbus_" + name,
                Unit.COUNT,
                KeyForm.DRIVER,
                help);
    }

    private static Metric of(
            ConnectionCounter counter, String name, Unit unit, KeyForm key, String help) {
        return new Metric(
                CounterTypes.CONNECTION, counter.number(), "verbus_" + name, unit, key, help);
    }
}
