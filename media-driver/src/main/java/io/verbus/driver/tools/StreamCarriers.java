// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CounterTypes;
import io.verbus.driver.metrics.CounterKeys;
import io.verbus.driver.metrics.ReadCounters;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the carrier of each of a driver's streams: the media in its channel, unless counters of
 * type {@link CounterTypes#CARRIER} name a different one.
 */
final class StreamCarriers {
    private static final Pattern MEDIA =
            Pattern.compile(" (?:aeron|verbus)(?<spy>-spy:aeron|-spy)?:(?<media>[a-z]+)");

    private final Long2ObjectHashMap<TreeSet<String>> byRegistration = new Long2ObjectHashMap<>();

    /** Reads the carrier counters. */
    StreamCarriers(ReadCounters counters) {
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == CounterTypes.CARRIER) {
                        byRegistration
                                .computeIfAbsent(key.getLong(0), none -> new TreeSet<>())
                                .add(CounterKeys.streamText(key));
                    }
                });
    }

    /**
     * Returns the carrier of a stream as text: {@code rdma}, or {@code rdma,udp}; {@code spy} if a
     * subscriber reads a publication in place; {@code sources} if an image arrives at a
     * subscription's destinations.
     *
     * @param type type of a counter of the stream.
     * @param source registration id of the publication or image.
     * @param label label of the counter.
     */
    String of(int type, long source, String label) {
        Matcher named = MEDIA.matcher(label);
        boolean isNamed = named.find();
        if (isNamed && named.group("spy") != null) {
            return "spy";
        }
        if (isOfImage(type) && label.contains("control-mode=manual")) {
            return "sources";
        }
        TreeSet<String> carriers = byRegistration.get(source);
        if (carriers != null) {
            return String.join(",", carriers);
        }
        return isNamed ? named.group("media") : "";
    }

    private static boolean isOfImage(int type) {
        return switch (type) {
            case CounterTypes.RECEIVER_HIGH_WATER,
                    CounterTypes.RECEIVER_POSITION,
                    CounterTypes.SUBSCRIBER_POSITION ->
                    true;
            default -> false;
        };
    }
}
