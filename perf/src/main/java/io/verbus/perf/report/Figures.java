// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Throughput;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts measurements to named figures, in display order. */
public final class Figures {
    private static final List<Percentile> COMPARED =
            List.of(Percentile.P50, Percentile.P90, Percentile.P99);

    private Figures() {}

    /** Returns percentiles in microseconds: less is better. */
    public static Map<String, Double> of(Measurement measurement) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Percentile percentile : COMPARED) {
            figures.put(percentile.text(), percentile.microseconds(measurement.histogram()));
        }
        return figures;
    }

    /** Returns all reported percentiles except the maximum, in microseconds: less is better. */
    public static Map<String, Double> ofTail(Measurement measurement) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Percentile percentile : Percentile.values()) {
            if (percentile != Percentile.MAX) {
                figures.put(percentile.text(), percentile.microseconds(measurement.histogram()));
            }
        }
        return figures;
    }

    /** Returns the rates of recordings and replays: more is better. */
    public static Map<String, Double> of(Recording recording) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("recordedPerSecond", recording.recordedPerSecond());
        figures.put("replayedPerSecond", recording.replayedPerSecond());
        return figures;
    }

    /** Returns the rates of a stream: more is better. */
    public static Map<String, Double> of(Throughput throughput) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("messagesPerSecond", throughput.messagesPerSecond());
        figures.put("bytesPerSecond", throughput.bytesPerSecond());
        return figures;
    }
}
