// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.CounterTypes;
import io.verbus.release.Release;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.CountersReader;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Derives metric labels from the keys of a driver's counters. A destination's key has no channel,
 * so its channel label comes from the publication with the same registration id. Used by one
 * thread.
 */
public final class MetricLabels {
    /** Receives the labels of one counter. */
    @FunctionalInterface
    public interface Taker {
        /**
         * @param name name of the label.
         * @param value value of the label.
         */
        void take(String name, String value);
    }

    private static final Pattern BUILD =
            Pattern.compile("version=(\\S*) commit=(\\S*) jdk=(\\S*)$");

    private static final Pattern CLIENT =
            Pattern.compile(
                    " name=(?<name>.*?)(?: version=(?<version>\\S*) commit=\\S*(?: pid=\\d+)?)?$");

    private final ReadCounters read;
    private final CountersReader counters;
    private final Long2ObjectHashMap<String> channels = new Long2ObjectHashMap<>();

    /**
     * Reads the channels of the publications.
     *
     * @param counters current counters of the driver.
     */
    public MetricLabels(ReadCounters counters) {
        read = counters;
        this.counters = counters.values();
        counters.forEach(
                (id, typeId, key) -> {
                    if (typeId == CounterTypes.PUBLISHER_LIMIT) {
                        channels.put(CounterKeys.registrationId(key), CounterKeys.streamText(key));
                    }
                });
    }

    /** Returns the number in a key, if counters of this type have numbers. */
    public static int number(int typeId, DirectBuffer key) {
        return switch (typeId) {
            case CounterTypes.SYSTEM, CounterTypes.DRIVER -> key.getInt(0);
            case CounterTypes.CONNECTION -> key.getInt(ConnectionKey.NUMBER);
            default -> Metric.ANY;
        };
    }

    /**
     * Passes a counter's labels to the taker, in the order of {@link Metric.KeyForm#labels}.
     *
     * @param metric metric of the counter.
     * @param id id of the counter.
     * @param typeId type of the counter.
     * @param key key of the counter.
     * @param taker receives the labels.
     */
    public void forEach(Metric metric, int id, int typeId, DirectBuffer key, Taker taker) {
        switch (metric.key()) {
            case STREAM, IMAGE -> {
                stream(key, taker);
                taker.take("channel", CounterKeys.streamText(key));
                registration(CounterKeys.registrationId(key), taker);
            }
            case DESTINATION -> {
                stream(key, taker);
                taker.take("channel", channelOf(key));
                taker.take("peer", CounterKeys.streamText(key));
                registration(CounterKeys.registrationId(key), taker);
            }
            case CARRIER -> {
                stream(key, taker);
                taker.take("channel", channelOf(key));
                taker.take("transport", CounterKeys.streamText(key));
                registration(CounterKeys.registrationId(key), taker);
            }
            case CHANNEL -> {
                taker.take("channel", CounterKeys.channel(key));
                registration(counters.getCounterRegistrationId(id), taker);
            }
            case ADDRESS -> {
                taker.take("address", CounterKeys.secondText(key));
                registration(counters.getCounterRegistrationId(id), taker);
            }
            case CLIENT -> {
                client(read.label(id), taker);
                registration(CounterKeys.registrationId(key), taker);
            }
            case BUILD -> build(read.label(id), taker);
            case CONNECTION -> connection(key, taker);
            case CONNECTION_IMAGE -> {
                taker.take("stream", Integer.toString(key.getInt(ConnectionKey.STREAM_ID)));
                taker.take("session", Integer.toString(key.getInt(ConnectionKey.SESSION_ID)));
                connection(key, taker);
            }
            case DEVICE -> {
                taker.take("device", CounterKeys.secondText(key));
                taker.take("port", Integer.toString(key.getInt(0)));
            }
            case APPLICATION -> {
                taker.take("type", Integer.toString(typeId));
                registration(counters.getCounterRegistrationId(id), taker);
            }
            case DRIVER, ERROR, HOP -> {
                // The key contains only the number, or is empty.
            }
        }
        if (metric.unit() == Metric.Unit.VERSION) {
            long version = counters.getCounterValue(id);
            taker.take(
                    "version",
                    (version >> 16 & 0xFF) + "." + (version >> 8 & 0xFF) + "." + (version & 0xFF));
        }
    }

    /**
     * Verbus and Aeron clients append their name and version to the label that the driver has set.
     */
    private static void client(String label, Taker taker) {
        Matcher client = CLIENT.matcher(label);
        boolean isNamed = client.find();
        taker.take("name", isNamed ? client.group("name") : "");
        String version = isNamed ? client.group("version") : null;
        taker.take("version", version == null ? "" : version);
    }

    private static void build(String label, Taker taker) {
        Matcher build = BUILD.matcher(label);
        boolean isNamed = build.find();
        String[] names = Metric.KeyForm.BUILD.labels();
        for (int i = 0; i < names.length; i++) {
            taker.take(names[i], isNamed ? build.group(i + 1) : Release.UNKNOWN);
        }
    }

    private static void stream(DirectBuffer key, Taker taker) {
        taker.take("stream", Integer.toString(CounterKeys.streamId(key)));
        taker.take("session", Integer.toString(CounterKeys.sessionId(key)));
    }

    private static void connection(DirectBuffer key, Taker taker) {
        taker.take("peer", CounterKeys.peer(key));
        taker.take("device", CounterKeys.device(key));
        registration(CounterKeys.registrationId(key), taker);
    }

    private static void registration(long id, Taker taker) {
        taker.take("registration", Long.toString(id));
    }

    private String channelOf(DirectBuffer key) {
        return channels.getOrDefault(CounterKeys.registrationId(key), "");
    }
}
