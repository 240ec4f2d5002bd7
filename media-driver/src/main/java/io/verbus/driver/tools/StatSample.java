// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.driver.metrics.Metric;
import io.verbus.driver.metrics.MetricLabels;
import io.verbus.driver.metrics.MetricTable;
import io.verbus.driver.metrics.ReadCounters;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The counters and streams of a driver at one time, with their rates per second since the previous
 * sample.
 */
final class StatSample {
    /** Rate if there is no previous sample, or if the value can also decrease. */
    static final long NO_RATE = Long.MIN_VALUE;

    /**
     * A counter.
     *
     * @param id id of the counter.
     * @param typeId type of the counter.
     * @param value value in the counter's own unit.
     * @param rate rate per second, or {@link #NO_RATE}.
     * @param label label of the counter.
     * @param metric metric of the counter.
     * @param labels labels of the metric.
     */
    record Counted(
            int id,
            int typeId,
            long value,
            long rate,
            String label,
            Metric metric,
            Map<String, String> labels) {}

    /**
     * A stream.
     *
     * @param status status of the stream.
     * @param rate bytes per second, or {@link #NO_RATE}.
     */
    record Streamed(StreamStatus status, long rate) {}

    private final long timeNs;
    private final List<Counted> counters = new ArrayList<>();
    private final List<Streamed> streams = new ArrayList<>();

    /** Values by keys that identify counters across samples. */
    private final Map<String, Long> values = new HashMap<>();

    /**
     * @param all current counters of the driver.
     * @param before previous sample; or null.
     * @param nowNs monotonic time.
     */
    StatSample(ReadCounters all, StatSample before, long nowNs) {
        timeNs = nowNs;
        MetricLabels labels = new MetricLabels(all);
        all.forEach(
                (id, typeId, key, label) -> {
                    Metric metric = MetricTable.of(typeId, MetricLabels.number(typeId, key));
                    Map<String, String> named = new LinkedHashMap<>();
                    labels.forEach(metric, id, typeId, key, named::put);
                    long value = all.values().getCounterValue(id);
                    String same = id + " " + typeId + " " + named;
                    long rate = metric.isGrowing() ? rate(before, same, value) : NO_RATE;
                    values.put(same, value);
                    counters.add(new Counted(id, typeId, value, rate, label, metric, named));
                });
        for (StreamStatus each : StreamStatus.read(all)) {
            String same = "stream " + each.registrationId();
            streams.add(new Streamed(each, rate(before, same, each.position())));
            values.put(same, each.position());
        }
    }

    private long rate(StatSample before, String same, long value) {
        Long then = before == null ? null : before.values.get(same);
        if (then == null || timeNs <= before.timeNs) {
            return NO_RATE;
        }
        double seconds = (timeNs - before.timeNs) / (double) TimeUnit.SECONDS.toNanos(1);
        return Math.round((value - then) / seconds);
    }

    List<Counted> counters() {
        return counters;
    }

    List<Streamed> streams() {
        return streams;
    }
}
