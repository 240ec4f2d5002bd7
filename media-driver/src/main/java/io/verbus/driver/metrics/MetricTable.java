// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.List;
import java.util.stream.Stream;

/**
 * All metrics of counters in print order, for {@code verbus stat}, the exporter and the reference
 * page.
 */
public final class MetricTable {
    /** Metric of application counters, whose types have no row. */
    public static final Metric APPLICATION =
            new Metric(
                    Metric.ANY,
                    Metric.ANY,
                    "verbus_application_value",
                    Metric.Unit.COUNT,
                    Metric.KeyForm.APPLICATION,
                    "Value of a counter that belongs to an application, Aeron Archive or Aeron"
                            + " Cluster.");

    /** Type of metrics without a counter. */
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
                throw new IllegalStateException(
                        "metric "
                                + each.name()
                                + " reads a counter that another metric already reads");
            }
        }
    }

    private MetricTable() {}

    /** Returns all rows. */
    public static List<Metric> all() {
        return ALL;
    }

    /**
     * Finds the metric of a counter.
     *
     * @param typeId type of the counter.
     * @param number number in its key, if its type has numbers.
     * @return the metric; {@link #APPLICATION} if no row matches.
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
