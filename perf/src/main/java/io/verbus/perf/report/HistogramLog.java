// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Writes histograms in HdrHistogram's formats. */
public final class HistogramLog {
    private static final double NS_PER_US = 1000;

    private HistogramLog() {}

    /**
     * Formats a log, one tag per series, with all samples in nanoseconds.
     *
     * @param series measurements by name.
     * @param endMs end time of the last series in milliseconds since the epoch.
     */
    public static String write(Map<String, Measurement> series, long endMs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer =
                new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        long atMs = startMs(series, endMs);
        writer.outputLogFormatVersion();
        writer.outputStartTime(atMs);
        writer.outputLegend();
        for (Map.Entry<String, Measurement> entry : series.entrySet()) {
            long nextMs = atMs + elapsedMs(entry.getValue());
            Histogram histogram = entry.getValue().histogram().copy();
            histogram.setTag(entry.getKey().replaceAll("[,\\s]+", "-"));
            writer.outputIntervalHistogram(atMs / 1000.0, nextMs / 1000.0, histogram, NS_PER_US);
            atMs = nextMs;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Formats a percentile distribution in microseconds, for HdrHistogram's plotter. */
    public static String distribution(Measurement measurement) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        measurement
                .histogram()
                .outputPercentileDistribution(
                        new PrintStream(bytes, true, StandardCharsets.UTF_8), NS_PER_US);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static long startMs(Map<String, Measurement> series, long endMs) {
        return endMs - series.values().stream().mapToLong(HistogramLog::elapsedMs).sum();
    }

    private static long elapsedMs(Measurement measurement) {
        return TimeUnit.NANOSECONDS.toMillis(measurement.elapsedNs());
    }
}
