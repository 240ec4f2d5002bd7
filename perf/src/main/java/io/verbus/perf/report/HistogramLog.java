// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Writes histograms in HdrHistogram's log format, one tag per series, with all samples in
 * nanoseconds.
 */
public final class HistogramLog {
    private static final double NS_PER_US = 1000;

    private HistogramLog() {}

    /**
     * Formats a log.
     *
     * @param series outcomes by name.
     * @param endMs end time of the last series in milliseconds since the epoch.
     */
    public static String write(Map<String, Outcome> series, long endMs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer =
                new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        long atMs = startMs(series, endMs);
        writer.outputLogFormatVersion();
        writer.outputStartTime(atMs);
        writer.outputLegend();
        for (Map.Entry<String, Outcome> entry : series.entrySet()) {
            long nextMs = atMs + elapsedMs(entry.getValue());
            Histogram histogram = entry.getValue().measurement().histogram().copy();
            histogram.setTag(entry.getKey().replaceAll("[,\\s]+", "-"));
            writer.outputIntervalHistogram(atMs / 1000.0, nextMs / 1000.0, histogram, NS_PER_US);
            atMs = nextMs;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static long startMs(Map<String, Outcome> series, long endMs) {
        return endMs - series.values().stream().mapToLong(HistogramLog::elapsedMs).sum();
    }

    private static long elapsedMs(Outcome outcome) {
        return TimeUnit.NANOSECONDS.toMillis(outcome.measurement().elapsedNs());
    }
}
