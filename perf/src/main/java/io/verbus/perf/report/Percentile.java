// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import org.HdrHistogram.Histogram;

/** Reported percentile. */
public enum Percentile {
    /** Median. */
    P50("p50", 50),
    /** 90 %. */
    P90("p90", 90),
    /** 99 %. */
    P99("p99", 99),
    /** 99.9 %. */
    P99_9("p99.9", 99.9),
    /** 99.99 %. */
    P99_99("p99.99", 99.99),
    /** Maximum. */
    MAX("max", 100);

    private final String text;
    private final double percent;

    Percentile(String text, double percent) {
        this.text = text;
        this.percent = percent;
    }

    /** Returns the name in tables and JSON. */
    public String text() {
        return text;
    }

    /** Returns this percentile, in microseconds, of a histogram in nanoseconds. */
    public double microseconds(Histogram histogram) {
        return histogram.getValueAtPercentile(percent) / 1000.0;
    }
}
