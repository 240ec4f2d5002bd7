// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import java.math.BigDecimal;

/**
 * A row of the table of metrics: what a type of counter is called, counts, and belongs to.
 *
 * @param typeId of the counters.
 * @param number in their key; {@link #ANY} of a type whose counters all say the same.
 * @param name for Prometheus. One that ends with {@code _total} is of a value that only grows.
 * @param unit of the counter's value.
 * @param key what the counter belongs to, as its key has it.
 * @param help one sentence.
 */
public record Metric(int typeId, int number, String name, Unit unit, KeyForm key, String help) {
    /** {@link #number} of a type whose counters all say the same. */
    public static final int ANY = -1;

    private static final String TOTAL = "_total";

    /** Unit of a counter's value, and what a metric makes of it. */
    public enum Unit {
        /** How many there were, or are. */
        COUNT("", 0),
        /** Bytes, or a position in a stream, which counts bytes. */
        BYTES("bytes", 0),
        /** Nanoseconds, which the metric gives in seconds. */
        NANOSECONDS("seconds", 9),
        /** Milliseconds, or those since 1970, which the metric gives in seconds. */
        MILLISECONDS("seconds", 3),
        /** One of some numbers, which the help explains. */
        STATE("", 0),
        /** Three bytes, which the metric gives as the label {@code version}; its value is 1. */
        VERSION("", 0);

        private final String base;
        private final int decimals;

        Unit(String base, int decimals) {
            this.base = base;
            this.decimals = decimals;
        }

        /** The metric's unit: {@code seconds}, {@code bytes}, or empty. */
        public String base() {
            return base;
        }

        /** Text of a counter's value in the metric's unit, exact. */
        public String text(long value) {
            if (this == VERSION) {
                return "1";
            }
            return decimals == 0
                    ? Long.toString(value)
                    : BigDecimal.valueOf(value, decimals).stripTrailingZeros().toPlainString();
        }
    }

    /** What a counter belongs to, and the labels that its metric has. */
    public enum KeyForm {
        /** The driver as a whole. */
        DRIVER(),
        /** The driver's build, which the counter's label names. */
        BUILD("version", "commit", "jdk"),
        /** A publication. */
        STREAM("stream", "session", "channel", "registration"),
        /** An image that subscribers read, or a subscriber's place in it. */
        IMAGE("stream", "session", "channel", "registration"),
        /** A place that a driver sends to or receives at. */
        CHANNEL("channel", "registration"),
        /** A local address of such a place. */
        ADDRESS("address", "registration"),
        /** A client. */
        CLIENT("name", "version", "registration"),
        /** A destination of a publication. */
        DESTINATION("stream", "session", "channel", "peer", "registration"),
        /** A stream, and what carries it. */
        CARRIER("stream", "session", "channel", "transport", "registration"),
        /** A connection with a peer. */
        CONNECTION("peer", "device", "registration"),
        /** An image that a connection brings. */
        CONNECTION_IMAGE("stream", "session", "peer", "device", "registration"),
        /** A port of an RDMA device. */
        DEVICE("device", "port"),
        /** An entry of the driver's error log. */
        ERROR("error"),
        /** Something of an application. */
        APPLICATION("type", "registration");

        private final String[] labels;

        KeyForm(String... labels) {
            this.labels = labels;
        }

        /** Names of the labels, in their order. */
        public String[] labels() {
            return labels.clone();
        }
    }

    /** {@code counter} of a value that only grows, else {@code gauge}. */
    public String kind() {
        return isGrowing() ? "counter" : "gauge";
    }

    /** Whether the value only grows while the counter is there, so that a rate makes sense. */
    public boolean isGrowing() {
        return name.endsWith(TOTAL);
    }
}
