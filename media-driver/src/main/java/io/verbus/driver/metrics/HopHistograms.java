// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.LatencyBuckets;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Durations;
import io.verbus.cnc.LatencyFile.Reading;

/**
 * Formats the sampled durations of hops as Prometheus' histograms. Used by one thread at a time.
 */
final class HopHistograms {
    /** Bounds of the buckets in nanoseconds are the powers of two from 1.024 us to 17 s. */
    private static final int FIRST_POWER = 10;

    private static final int LAST_POWER = 34;

    private final StringBuilder labels = new StringBuilder();

    /** Appends the series of all hops. */
    void add(LatencyFile file, StringBuilder text) {
        for (Reading reading : file.read()) {
            add(reading, "least", reading.least(), text);
            add(reading, "most", reading.most(), text);
        }
    }

    private void add(Reading reading, String bound, Durations durations, StringBuilder text) {
        LatencyFile.Owner owner = reading.owner();
        labels.setLength(0);
        label("hop", owner.hop().toString());
        label("bound", bound);
        label("stream", Integer.toString(owner.streamId()));
        label("session", Integer.toString(owner.sessionId()));
        label("channel", owner.channel());
        label("peer", owner.peer());
        label("registration", Long.toString(owner.registrationId()));
        long[] counts = durations.counts();
        long sum = 0;
        int next = 0;
        for (int power = FIRST_POWER; power <= LAST_POWER; power++) {
            for (int end = LatencyBuckets.index(1L << power); next < end; next++) {
                sum += counts[next];
            }
            bucket(StatusMetrics.LATENCY.unit().text(1L << power), sum, text);
        }
        while (next < counts.length) {
            sum += counts[next++];
        }
        bucket("+Inf", sum, text);
        value("_sum", StatusMetrics.LATENCY.unit().text(durations.sum()), text);
        value("_count", Long.toString(sum), text);
    }

    private void label(String name, String value) {
        labels.append(labels.isEmpty() ? "" : ",").append(name).append("=\"");
        PrometheusText.appendEscaped(labels, value);
        labels.append('"');
    }

    private void bucket(String bound, long count, StringBuilder text) {
        text.append(StatusMetrics.LATENCY.name()).append("_bucket{").append(labels);
        text.append(",le=\"").append(bound).append("\"} ").append(count).append('\n');
    }

    private void value(String suffix, String value, StringBuilder text) {
        text.append(StatusMetrics.LATENCY.name()).append(suffix).append('{').append(labels);
        text.append("} ").append(value).append('\n');
    }
}
