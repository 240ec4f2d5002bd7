// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.FlowChoice;
import io.verbus.transport.Option;
import io.verbus.transport.TransportSettings;

import java.util.List;

/**
 * Option values for streams with several receivers. {@link #ALL} describes the options and their
 * ranges.
 *
 * @param unicastFlow {@link #UNICAST_FLOW}.
 * @param multicastFlow {@link #MULTICAST_FLOW}.
 * @param flowTag {@link #FLOW_TAG}.
 * @param groupSize {@link #GROUP_SIZE}.
 * @param receiverTimeoutNs {@link #RECEIVER_TIMEOUT}, nanoseconds.
 * @param tag {@link #TAG}, or null.
 * @param nakBackoffNs {@link #NAK_BACKOFF}, nanoseconds.
 */
public record GroupOptions(
        FlowChoice.Strategy unicastFlow,
        FlowChoice.Strategy multicastFlow,
        long flowTag,
        int groupSize,
        long receiverTimeoutNs,
        Long tag,
        long nakBackoffNs) {
    private static final long MS = 1_000_000;
    private static final long DAY = 24 * 3600 * 1000 * MS;
    private static final int MAX_GROUP = 64;

    static final Option<FlowChoice.Strategy> UNICAST_FLOW =
            Option.constant(
                    "udp.unicast-flow-control",
                    FlowChoice.Strategy.MAX,
                    FlowChoice.Strategy.values(),
                    "Default flow control of publications to one receiver, for channels without an"
                            + " fc key.");

    static final Option<FlowChoice.Strategy> MULTICAST_FLOW =
            Option.constant(
                    "udp.flow-control",
                    FlowChoice.Strategy.MAX,
                    FlowChoice.Strategy.values(),
                    "Default flow control of publications to a group or to several destinations,"
                            + " for channels without an fc key.");

    static final Option<Long> FLOW_TAG =
            Option.of(
                    "udp.flow-control-tag",
                    "-1",
                    "a 64-bit integer",
                    "Default tag of tagged flow control, for channels whose fc key has no tag.",
                    Long::valueOf);

    static final Option<Integer> GROUP_SIZE =
            Option.count(
                    "udp.flow-control-group-size",
                    "0",
                    0,
                    MAX_GROUP,
                    "Default number of receivers that a publication with min or tagged flow control"
                            + " needs before it is connected; 0 means one.");

    static final Option<Long> RECEIVER_TIMEOUT =
            Option.duration(
                    "udp.receiver-timeout",
                    "0s",
                    0,
                    DAY,
                    "Time without a status message after which min or tagged flow control ignores a"
                            + " receiver; 0s means udp.connection-timeout.");

    static final Option<Long> TAG =
            Option.of(
                    "udp.group-tag",
                    "",
                    "a 64-bit integer, or nothing",
                    "Default tag of this driver's receivers, for subscriptions without a gtag key.",
                    text -> text.isEmpty() ? null : Long.valueOf(text));

    static final Option<Long> NAK_BACKOFF =
            Option.duration(
                    "udp.nak-backoff",
                    "10ms",
                    1_000,
                    DAY,
                    "Longest random delay before a receiver in a group sends a NAK, so that one NAK"
                            + " can serve all receivers.");

    /** All options, in help order. */
    static final List<Option<?>> ALL =
            List.of(
                    UNICAST_FLOW,
                    MULTICAST_FLOW,
                    FLOW_TAG,
                    GROUP_SIZE,
                    RECEIVER_TIMEOUT,
                    TAG,
                    NAK_BACKOFF);

    static GroupOptions of(TransportSettings host) {
        return new GroupOptions(
                UNICAST_FLOW.read(host),
                MULTICAST_FLOW.read(host),
                FLOW_TAG.read(host),
                GROUP_SIZE.read(host),
                RECEIVER_TIMEOUT.read(host),
                TAG.read(host),
                NAK_BACKOFF.read(host));
    }
}
