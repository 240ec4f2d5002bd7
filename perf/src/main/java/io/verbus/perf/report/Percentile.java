// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.report.Figure.Better;

import org.HdrHistogram.Histogram;

/** Reported percentile. */
public enum Percentile {
    /** Median. */
    P50("p50", 50, 1),
    /** 90 %. */
    P90("p90", 90, 10),
    /** 99 %. */
    P99("p99", 99, 100),
    /** 99.9 %. */
    P99_9("p99.9", 99.9, 1_000),
    /** 99.99 %. */
    P99_99("p99.99", 99.99, 10_000),
    /** Maximum. */
    MAX("max", 100, 1);

    private static final double NS_PER_US = 1000;

    private final double percent;
    private final long samples;
    private final Figure figure;

    Percentile(String text, double percent, long samples) {
        this.percent = percent;
        this.samples = samples;
        Better better = percent < 100 ? Better.LOWER : Better.NEITHER;
        figure = new Figure(text, Figure.MICROSECONDS, better);
    }

    /** Returns this percentile as a figure, in microseconds. */
    public Figure figure() {
        return figure;
    }

    /** Returns whether a histogram has enough samples to tell this percentile from the maximum. */
    boolean isReachedBy(Histogram histogram) {
        return histogram.getTotalCount() >= samples;
    }

    /** Returns this percentile, in microseconds, of a histogram in nanoseconds. */
    public double microseconds(Histogram histogram) {
        return histogram.getValueAtPercentile(percent) / NS_PER_US;
    }
}
