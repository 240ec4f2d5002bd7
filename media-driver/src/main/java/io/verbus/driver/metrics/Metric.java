// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import java.math.BigDecimal;

/**
 * A row of the metrics table, which describes one type of counter.
 *
 * @param typeId type of the counters.
 * @param number number in their keys, or {@link #ANY}.
 * @param name name for Prometheus; it ends with {@code _total} if the value only grows.
 * @param unit unit of the counter's value.
 * @param key form of the key, which identifies what the counter belongs to.
 * @param help help text, one sentence.
 */
public record Metric(int typeId, int number, String name, Unit unit, KeyForm key, String help) {
    /** Value of {@link #number} for types whose counters all have the same meaning. */
    public static final int ANY = -1;

    private static final String TOTAL = "_total";

    /** Unit of a counter's value, and its conversion to the metric's unit. */
    public enum Unit {
        /** A number of events or objects. */
        COUNT("", 0),
        /** Bytes, or a stream position, which is in bytes. */
        BYTES("bytes", 0),
        /** Nanoseconds; the metric is in seconds. */
        NANOSECONDS("seconds", 9),
        /** Milliseconds, as a duration or since 1970; the metric is in seconds. */
        MILLISECONDS("seconds", 3),
        /** A state number, explained in the help. */
        STATE("", 0),
        /** Three bytes, which become the label {@code version}; the metric's value is 1. */
        VERSION("", 0);

        private final String base;
        private final int decimals;

        Unit(String base, int decimals) {
            this.base = base;
            this.decimals = decimals;
        }

        /** Returns the metric's unit: {@code seconds}, {@code bytes}, or empty. */
        public String base() {
            return base;
        }

        /** Returns a counter's value in the metric's unit as exact text. */
        public String text(long value) {
            if (this == VERSION) {
                return "1";
            }
            return decimals == 0
                    ? Long.toString(value)
                    : BigDecimal.valueOf(value, decimals).stripTrailingZeros().toPlainString();
        }
    }

    /** Form of a counter's key: what it belongs to, and the labels of its metric. */
    public enum KeyForm {
        /** The whole driver. */
        DRIVER(),
        /** Build of the driver, from the counter's label. */
        BUILD("version", "commit", "jdk"),
        /** A publication. */
        STREAM("stream", "session", "channel", "registration"),
        /** An image, or a subscriber's position in it. */
        IMAGE("stream", "session", "channel", "registration"),
        /** An address that a driver sends to or receives at. */
        CHANNEL("channel", "registration"),
        /** The local address that a channel's address is bound to. */
        ADDRESS("address", "registration"),
        /** A client. */
        CLIENT("name", "version", "registration"),
        /** A destination of a publication. */
        DESTINATION("stream", "session", "channel", "peer", "registration"),
        /** The carrier of a stream. */
        CARRIER("stream", "session", "channel", "transport", "registration"),
        /** A connection to a peer. */
        CONNECTION("peer", "device", "registration"),
        /** An image received over a connection. */
        CONNECTION_IMAGE("stream", "session", "peer", "device", "registration"),
        /** A port of an RDMA device. */
        DEVICE("device", "port"),
        /** A hop of a stream or connection; its metric is a histogram. */
        HOP("hop", "bound", "stream", "session", "channel", "peer", "registration"),
        /** An entry of the driver's error log. */
        ERROR("error"),
        /** An application's counter. */
        APPLICATION("type", "registration");

        private final String[] labels;

        KeyForm(String... labels) {
            this.labels = labels;
        }

        /** Returns the names of the labels in order. */
        public String[] labels() {
            return labels.clone();
        }
    }

    /**
     * Returns {@code histogram} for hops, {@code counter} if the value only grows, else {@code
     * gauge}.
     */
    public String kind() {
        if (key == KeyForm.HOP) {
            return "histogram";
        }
        return isGrowing() ? "counter" : "gauge";
    }

    /**
     * Returns whether the value only grows while the counter exists, so that a rate is meaningful.
     */
    public boolean isGrowing() {
        return name.endsWith(TOTAL);
    }
}
