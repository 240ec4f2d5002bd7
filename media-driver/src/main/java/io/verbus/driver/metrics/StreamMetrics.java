// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.CounterTypes;
import io.verbus.driver.metrics.Metric.KeyForm;
import io.verbus.driver.metrics.Metric.Unit;

import java.util.List;

/** Metrics of streams, channels and clients. Positions are in bytes of the stream. */
final class StreamMetrics {
    private static final int PER_IMAGE = 10;
    static final List<Metric> ALL =
            List.of(
                    of(
                            CounterTypes.PUBLISHER_POSITION,
                            "publisher_position_bytes_total",
                            Unit.BYTES,
                            KeyForm.STREAM,
                            "Position up to which publishers have appended."),
                    of(
                            CounterTypes.PUBLISHER_LIMIT,
                            "publisher_limit_bytes",
                            Unit.BYTES,
                            KeyForm.STREAM,
                            "Publisher limit: position up to which publishers may append."),
                    of(
                            CounterTypes.SENDER_POSITION,
                            "sender_position_bytes_total",
                            Unit.BYTES,
                            KeyForm.STREAM,
                            "Sender position: position up to which the log was sent."),
                    of(
                            CounterTypes.SENDER_LIMIT,
                            "sender_limit_bytes",
                            Unit.BYTES,
                            KeyForm.STREAM,
                            "Sender limit: position up to which receivers let the sender send."),
                    of(
                            CounterTypes.SENDER_BACK_PRESSURE,
                            "sender_back_pressure_events_total",
                            Unit.COUNT,
                            KeyForm.STREAM,
                            "Number of times that receivers' flow control back-pressured the"
                                    + " publication."),
                    of(
                            CounterTypes.SENDER_NAKS_RECEIVED,
                            "sender_naks_received_total",
                            Unit.COUNT,
                            KeyForm.STREAM,
                            "NAKs received for the publication."),
                    of(
                            CounterTypes.FLOW_CONTROL_RECEIVERS,
                            "flow_control_receivers",
                            Unit.COUNT,
                            KeyForm.STREAM,
                            "Receivers that min or tagged flow control waits for."),
                    of(
                            CounterTypes.DESTINATIONS,
                            "receivers",
                            Unit.COUNT,
                            KeyForm.CHANNEL,
                            "Receivers of a dynamic publication."),
                    of(
                            CounterTypes.DESTINATION_SENT,
                            "destination_sent_bytes_total",
                            Unit.BYTES,
                            KeyForm.DESTINATION,
                            "Position up to which the log was sent to a destination."),
                    of(
                            CounterTypes.DESTINATION_RELEASED,
                            "destination_released_bytes_total",
                            Unit.BYTES,
                            KeyForm.DESTINATION,
                            "Position up to which a destination has consumed the stream."),
                    of(
                            CounterTypes.DESTINATION_CONNECTED,
                            "destination_connected",
                            Unit.STATE,
                            KeyForm.DESTINATION,
                            "1 while the destination is connected, otherwise 0."),
                    of(
                            CounterTypes.DESTINATION_LEFT,
                            "destination_left_total",
                            Unit.COUNT,
                            KeyForm.DESTINATION,
                            "Number of times that the sender dropped the destination because it was"
                                    + " too far behind."),
                    of(
                            CounterTypes.RECEIVER_POSITION,
                            "receiver_position_bytes_total",
                            Unit.BYTES,
                            KeyForm.IMAGE,
                            "Position up to which an image has arrived without gaps."),
                    of(
                            CounterTypes.RECEIVER_HIGH_WATER,
                            "receiver_high_water_bytes_total",
                            Unit.BYTES,
                            KeyForm.IMAGE,
                            "Highest position that has arrived, including data after gaps."),
                    of(
                            CounterTypes.RECEIVER_NAKS_SENT,
                            "receiver_naks_sent_total",
                            Unit.COUNT,
                            KeyForm.IMAGE,
                            "NAKs sent for the image."),
                    of(
                            CounterTypes.SOURCE_POSITION,
                            "source_position_bytes_total",
                            Unit.BYTES,
                            KeyForm.DESTINATION,
                            "Position up to which a source's stream is merged into an image."),
                    of(
                            CounterTypes.SOURCE_DELIVERED,
                            "source_led_bytes_total",
                            Unit.BYTES,
                            KeyForm.DESTINATION,
                            "Image bytes that a source delivered before the other sources."),
                    of(
                            CounterTypes.SUBSCRIBER_POSITION,
                            "subscriber_position_bytes_total",
                            Unit.BYTES,
                            KeyForm.IMAGE,
                            "Position up to which a subscriber has consumed the image."),
                    of(
                            CounterTypes.CARRIER,
                            "carried",
                            Unit.STATE,
                            KeyForm.CARRIER,
                            "1 while the transport in the labels carries a stream whose channel"
                                    + " does not name that transport."),
                    of(
                            CounterTypes.PUBLICATION_STATE,
                            "publication_state",
                            Unit.STATE,
                            KeyForm.STREAM,
                            "State of a client's publication: 0 waiting, 1 connected, 2 last"
                                    + " receiver has left."),
                    of(
                            CounterTypes.SUBSCRIPTION_STATE,
                            "subscription_state",
                            Unit.STATE,
                            KeyForm.STREAM,
                            "State of a client's subscription: 0 waiting, 1 connected, 2 last image"
                                    + " has ended."),
                    of(
                            CounterTypes.SEND_CHANNEL_STATUS,
                            "send_channel_state",
                            Unit.STATE,
                            KeyForm.CHANNEL,
                            "State of a publication's channel: 1 open, 0 not open yet, 2 closing,"
                                    + " -1 failed."),
                    of(
                            CounterTypes.RECEIVE_CHANNEL_STATUS,
                            "receive_channel_state",
                            Unit.STATE,
                            KeyForm.CHANNEL,
                            "State of a subscription's channel: 1 open, 0 not open yet, 2 closing,"
                                    + " -1 failed."),
                    of(
                            CounterTypes.LOCAL_ADDRESS,
                            "local_address_state",
                            Unit.STATE,
                            KeyForm.ADDRESS,
                            "1 while a local address is bound."),
                    of(
                            CounterTypes.CLIENT_HEARTBEAT,
                            "client_heartbeat_timestamp_seconds",
                            Unit.MILLISECONDS,
                            KeyForm.CLIENT,
                            "Unix time of a client's last keep-alive."),
                    of(
                            CounterTypes.RESOLVER_NEIGHBORS,
                            "name_resolver_neighbors",
                            Unit.COUNT,
                            KeyForm.DRIVER,
                            "Neighbors of the name resolver."),
                    of(
                            CounterTypes.RESOLVER_CACHE_ENTRIES,
                            "name_resolver_cached_names",
                            Unit.COUNT,
                            KeyForm.DRIVER,
                            "Names that the name resolver has learned from other drivers."),
                    of(
                            CounterTypes.RESOLVER_BOOTSTRAP_NEIGHBOR,
                            "name_resolver_bootstrap_state",
                            Unit.STATE,
                            KeyForm.ADDRESS,
                            "1 while the bootstrap neighbor is a neighbor of the name resolver,"
                                    + " otherwise 0."),
                    // Only for Aeron's clients.
                    of(
                            PER_IMAGE,
                            "image_value",
                            Unit.COUNT,
                            KeyForm.IMAGE,
                            "A counter that an Aeron client maintains for an image."));

    private StreamMetrics() {}

    private static Metric of(int typeId, String name, Unit unit, KeyForm key, String help) {
        return new Metric(typeId, Metric.ANY, "verbus_" + name, unit, key, help);
    }
}
