// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Writes histograms in HdrHistogram's formats. */
public final class HistogramLog {
    private static final double NS_PER_US = 1000;
    private static final double MS_PER_SECOND = 1000;

    private HistogramLog() {}

    /**
     * Samples of one run.
     *
     * @param name name of the series.
     * @param startMs start of the run in milliseconds since the epoch.
     * @param measurement samples, in nanoseconds.
     */
    public record Series(String name, long startMs, Measurement measurement) {}

    /**
     * Formats a log, one tag per series, with all samples in nanoseconds and maxima in
     * microseconds.
     *
     * @param series runs in the order of their starts; at least one.
     */
    public static String write(List<Series> series) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer =
                new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        writer.outputLogFormatVersion();
        writer.outputComment(
                "[Values of the histograms are nanoseconds, Interval_Max is in microseconds]");
        writer.outputStartTime(series.getFirst().startMs());
        writer.outputLegend();
        for (Series each : series) {
            long endMs = each.startMs() + elapsedMs(each.measurement());
            Histogram histogram = each.measurement().histogram().copy();
            histogram.setTag(each.name().replaceAll("[,\\s]+", "-"));
            writer.outputIntervalHistogram(
                    each.startMs() / MS_PER_SECOND, endMs / MS_PER_SECOND, histogram, NS_PER_US);
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

    private static long elapsedMs(Measurement measurement) {
        return TimeUnit.NANOSECONDS.toMillis(measurement.elapsedNs());
    }
}
