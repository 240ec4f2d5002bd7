// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.metrics.Metric.KeyForm;
import io.verbus.driver.metrics.Metric.Unit;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.RecentCycle;
import io.verbus.driver.status.UnusedOptions;

import java.util.List;
import java.util.Locale;

/** Metrics of the whole driver: Aeron's, in Aeron's order, and then those that Verbus adds. */
final class DriverMetrics {
    static final List<Metric> ALL =
            List.of(
                    of(
                            SystemCounter.BYTES_SENT,
                            "sent_bytes_total",
                            Unit.BYTES,
                            "Bytes sent: UDP datagrams, and log data written over RDMA."),
                    of(
                            SystemCounter.BYTES_RECEIVED,
                            "received_bytes_total",
                            Unit.BYTES,
                            "Bytes received: UDP datagrams, and image data written over RDMA."),
                    count(
                            SystemCounter.RECEIVER_PROXY_FAILS,
                            "receiver_proxy_failures_total",
                            "Failed offers to the receiver; 0 for a Verbus driver."),
                    count(
                            SystemCounter.SENDER_PROXY_FAILS,
                            "sender_proxy_failures_total",
                            "Failed offers to the sender; 0 for a Verbus driver."),
                    count(
                            SystemCounter.CONDUCTOR_PROXY_FAILS,
                            "conductor_proxy_failures_total",
                            "Failed offers to the conductor; 0 for a Verbus driver."),
                    count(SystemCounter.NAKS_SENT, "naks_sent_total", "NAKs sent."),
                    count(SystemCounter.NAKS_RECEIVED, "naks_received_total", "NAKs received."),
                    count(
                            SystemCounter.STATUS_MESSAGES_SENT,
                            "status_messages_sent_total",
                            "Status messages sent."),
                    count(
                            SystemCounter.STATUS_MESSAGES_RECEIVED,
                            "status_messages_received_total",
                            "Status messages received."),
                    count(
                            SystemCounter.HEARTBEATS_SENT,
                            "heartbeats_sent_total",
                            "UDP heartbeats sent: frames without data."),
                    count(
                            SystemCounter.HEARTBEATS_RECEIVED,
                            "heartbeats_received_total",
                            "UDP heartbeats received: frames without data."),
                    count(
                            SystemCounter.RETRANSMITS_SENT,
                            "retransmits_sent_total",
                            "Retransmitted log ranges."),
                    count(
                            SystemCounter.FLOW_CONTROL_UNDER_RUNS,
                            "flow_control_under_runs_total",
                            "Duplicate datagrams."),
                    count(
                            SystemCounter.FLOW_CONTROL_OVER_RUNS,
                            "flow_control_over_runs_total",
                            "Datagrams past the receiver's window."),
                    count(
                            SystemCounter.INVALID_PACKETS,
                            "invalid_packets_total",
                            "Invalid datagrams."),
                    count(
                            SystemCounter.ERRORS,
                            "errors_total",
                            "Driver errors, including rejected client commands."),
                    count(
                            SystemCounter.SHORT_SENDS,
                            "short_sends_total",
                            "Sends that the kernel did not accept completely."),
                    count(
                            SystemCounter.FREE_FAILS,
                            "free_failures_total",
                            "Failed attempts to free logs; 0 for a Verbus driver."),
                    count(
                            SystemCounter.SENDER_FLOW_CONTROL_LIMITS,
                            "back_pressure_events_total",
                            "Times that receivers' flow control back-pressured a publication."),
                    count(
                            SystemCounter.UNBLOCKED,
                            "unblocked_publications_total",
                            "Uncommitted claims that the driver turned into padding."),
                    count(
                            SystemCounter.COMMANDS_UNBLOCKED,
                            "unblocked_commands_total",
                            "Unfinished client commands that the driver skipped."),
                    count(
                            SystemCounter.POSSIBLE_TTL_ASYMMETRY,
                            "ttl_asymmetries_total",
                            "Possible multicast TTL asymmetries; 0 for a Verbus driver."),
                    of(
                            SystemCounter.CONTROLLABLE_IDLE_STRATEGY,
                            "controllable_idle_strategy_state",
                            Unit.STATE,
                            "State of Aeron's controllable idle strategy; 0 for a Verbus driver."),
                    count(
                            SystemCounter.LOSS_GAP_FILLS,
                            "loss_gap_fills_total",
                            "Gaps that subscriptions with reliable=false skipped."),
                    count(
                            SystemCounter.CLIENTS_TIMED_OUT,
                            "clients_timed_out_total",
                            "Clients that timed out."),
                    count(
                            SystemCounter.RESOLUTION_CHANGES,
                            "resolution_changes_total",
                            "Changes of names' addresses, and first resolutions of unknown names."),
                    of(
                            SystemCounter.CONDUCTOR_MAX_CYCLE_TIME,
                            "conductor_max_cycle_seconds",
                            Unit.NANOSECONDS,
                            "Longest conductor cycle, from its start to the start of the next"
                                    + " one."),
                    count(
                            SystemCounter.CONDUCTOR_CYCLES_EXCEEDED,
                            "conductor_cycles_exceeded_total",
                            "Conductor cycles longer than conductor.cycle-threshold."),
                    of(
                            SystemCounter.SENDER_MAX_CYCLE_TIME,
                            "sender_max_cycle_seconds",
                            Unit.NANOSECONDS,
                            "Longest sender cycle, from its start to the start of the next one."),
                    count(
                            SystemCounter.SENDER_CYCLES_EXCEEDED,
                            "sender_cycles_exceeded_total",
                            "Sender cycles longer than sender.cycle-threshold."),
                    of(
                            SystemCounter.RECEIVER_MAX_CYCLE_TIME,
                            "receiver_max_cycle_seconds",
                            Unit.NANOSECONDS,
                            "Longest receiver cycle, from its start to the start of the next one."),
                    count(
                            SystemCounter.RECEIVER_CYCLES_EXCEEDED,
                            "receiver_cycles_exceeded_total",
                            "Receiver cycles longer than receiver.cycle-threshold."),
                    of(
                            SystemCounter.NAME_RESOLVER_MAX_TIME,
                            "name_look_up_max_seconds",
                            Unit.NANOSECONDS,
                            "Duration of the longest name look-up."),
                    count(
                            SystemCounter.NAME_RESOLVER_TIMES_EXCEEDED,
                            "name_look_ups_exceeded_total",
                            "Name look-ups longer than look-up-threshold."),
                    of(
                            SystemCounter.AERON_VERSION,
                            "aeron_release_info",
                            Unit.VERSION,
                            "Aeron release whose shared-memory format the driver uses."),
                    of(
                            SystemCounter.LOG_BYTES,
                            "log_memory_bytes",
                            Unit.BYTES,
                            "Total length of all logs."),
                    of(
                            SystemCounter.RETRANSMITTED_BYTES,
                            "retransmitted_bytes_total",
                            Unit.BYTES,
                            "Retransmitted log bytes."),
                    count(
                            SystemCounter.RETRANSMIT_OVERFLOW,
                            "retransmit_overflows_total",
                            "Retransmits dropped for lack of room; 0 for a Verbus driver."),
                    count(
                            SystemCounter.ERROR_FRAMES_RECEIVED,
                            "error_frames_received_total",
                            "Error frames received from receivers that rejected a stream."),
                    count(
                            SystemCounter.ERROR_FRAMES_SENT,
                            "error_frames_sent_total",
                            "Error frames sent to reject a stream."),
                    count(
                            SystemCounter.PUBLICATIONS_REVOKED,
                            "publications_revoked_total",
                            "Publications that clients revoked."),
                    count(
                            SystemCounter.IMAGES_REVOKED,
                            "images_revoked_total",
                            "Images whose publishers revoked them."),
                    count(
                            SystemCounter.IMAGES_REJECTED,
                            "images_rejected_total",
                            "Images that a client rejected."),
                    of(
                            SystemCounter.CONTROL_PROTOCOL_VERSION,
                            "control_protocol_info",
                            Unit.VERSION,
                            "Version of the protocol for commands and events."),
                    count(
                            SystemCounter.STATUS_MESSAGES_REJECTED,
                            "status_messages_rejected_total",
                            "Status messages with impossible positions."),
                    count(
                            SystemCounter.ASYNC_EXECUTOR_PROXY_FAILS,
                            "async_executor_proxy_failures_total",
                            "Failed offers to the executor; 0 for a Verbus driver."),
                    of(
                            SystemCounter.HEARTBEAT,
                            "conductor_heartbeat_timestamp_seconds",
                            Unit.MILLISECONDS,
                            "Unix time of the conductor's last heartbeat."),
                    count(
                            SystemCounter.COMMANDS,
                            "commands_total",
                            "Commands received from clients."),
                    count(
                            SystemCounter.COMMANDS_MALFORMED,
                            "commands_malformed_total",
                            "Malformed commands."),
                    count(
                            SystemCounter.COMMANDS_FAILED,
                            "commands_failed_total",
                            "Commands that the driver rejected."),
                    count(SystemCounter.CLIENTS, "clients", "Connected clients."),
                    count(SystemCounter.PUBLICATIONS, "publications", "Open publications."),
                    count(SystemCounter.SUBSCRIPTIONS, "subscriptions", "Open subscriptions."),
                    count(SystemCounter.IMAGES, "images", "Open images of remote streams."),
                    count(
                            SystemCounter.IMAGES_LOST,
                            "images_lost_total",
                            "Images that ended before their publisher ended the stream."),
                    count(
                            SystemCounter.IMAGES_INVALID,
                            "images_invalid_total",
                            "Images that ended because of an invalid frame."),
                    recent(RecentCycle.CONDUCTOR),
                    recent(RecentCycle.SENDER),
                    recent(RecentCycle.RECEIVER),
                    new Metric(
                            CounterTypes.DRIVER,
                            DriverCounters.BUILD,
                            "verbus_build_info",
                            Unit.STATE,
                            KeyForm.BUILD,
                            "Always 1; the labels give the driver's build and JVM."),
                    new Metric(
                            CounterTypes.DRIVER,
                            UnusedOptions.NUMBER,
                            "verbus_unused_options",
                            Unit.COUNT,
                            KeyForm.DRIVER,
                            "Aeron options that are set but have no effect on the driver."));

    private DriverMetrics() {}

    private static Metric count(SystemCounter counter, String name, String help) {
        return of(counter, name, Unit.COUNT, help);
    }

    private static Metric recent(RecentCycle cycle) {
        String agent = cycle.name().toLowerCase(Locale.ROOT);
        return new Metric(
                CounterTypes.DRIVER,
                cycle.number(),
                "verbus_" + agent + "_recent_max_cycle_seconds",
                Unit.NANOSECONDS,
                KeyForm.DRIVER,
                "Longest " + agent + " cycle in the last 10 to 20 s, including idle time.");
    }

    private static Metric of(SystemCounter counter, String name, Unit unit, String help) {
        return new Metric(
                counter.typeId(), counter.number(), "verbus_" + name, unit, KeyForm.DRIVER, help);
    }
}
