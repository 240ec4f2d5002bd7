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
 * The counters and streams of a driver at one time, with what each has gained in a second since the
 * sample before.
 */
final class StatSample {
    /** No rate: there is no sample before, or the value is none that grows. */
    static final long NO_RATE = Long.MIN_VALUE;

    /**
     * A counter.
     *
     * @param id of the counter.
     * @param typeId of the counter.
     * @param value in the counter's own unit.
     * @param rate a second, or {@link #NO_RATE}.
     * @param label for people.
     * @param metric of the counter.
     * @param labels of the metric.
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
     * @param status of the stream.
     * @param rate bytes a second, or {@link #NO_RATE}.
     */
    record Streamed(StreamStatus status, long rate) {}

    private final long timeNs;
    private final List<Counted> counters = new ArrayList<>();
    private final List<Streamed> streams = new ArrayList<>();

    /** What tells that a counter is still the same, and its value. */
    private final Map<String, Long> values = new HashMap<>();

    /**
     * @param all counters of the driver, now.
     * @param before the sample before; null for none.
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
