// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.List;
import java.util.stream.Stream;

/**
 * All metrics of counters, in the order in which they are printed. {@code verbus stat}, the
 * exporter and the reference page read them from here.
 */
public final class MetricTable {
    /** Counters of applications: those whose type no row has. */
    public static final Metric APPLICATION =
            new Metric(
                    Metric.ANY,
                    Metric.ANY,
                    "verbus_application_value",
                    Metric.Unit.COUNT,
                    Metric.KeyForm.APPLICATION,
                    "Value of a counter of an application, of Aeron's archive, or of its cluster.");

    /** Type of the metrics that are of no counter. */
    static final int NO_COUNTER = -2;

    private static final List<Metric> ALL =
            Stream.of(
                            StatusMetrics.ALL,
                            DriverMetrics.ALL,
                            StreamMetrics.ALL,
                            TransportMetrics.ALL,
                            List.of(APPLICATION))
                    .flatMap(List::stream)
                    .toList();

    private static final Long2ObjectHashMap<Metric> BY_COUNTER = new Long2ObjectHashMap<>();

    static {
        for (Metric each : ALL) {
            if (each.typeId() == NO_COUNTER) {
                continue;
            }
            if (BY_COUNTER.put(index(each.typeId(), each.number()), each) != null) {
                throw new IllegalStateException(each.name() + " has the counter of another metric");
            }
        }
    }

    private MetricTable() {}

    /** Every row. */
    public static List<Metric> all() {
        return ALL;
    }

    /**
     * Finds the metric of a counter.
     *
     * @param typeId of the counter.
     * @param number that its key has, if its type has numbers.
     * @return {@link #APPLICATION} where no row has such counters.
     */
    public static Metric of(int typeId, int number) {
        Metric metric = BY_COUNTER.get(index(typeId, number));
        if (metric == null) {
            metric = BY_COUNTER.get(index(typeId, Metric.ANY));
        }
        return metric == null ? APPLICATION : metric;
    }

    private static long index(int typeId, int number) {
        return (long) typeId << Integer.SIZE | number & 0xFFFFFFFFL;
    }
}
