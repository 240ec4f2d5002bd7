// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.CounterTypes;
import io.verbus.driver.metrics.Metric.KeyForm;
import io.verbus.driver.metrics.Metric.Unit;

import java.util.List;

/** Metrics of name resolution among drivers. */
final class ResolverMetrics {
    static final List<Metric> ALL =
            List.of(
                    of(
                            CounterTypes.RESOLVER_NEIGHBORS,
                            "neighbors",
                            KeyForm.DRIVER,
                            "Drivers that are told names."),
                    of(
                            CounterTypes.RESOLVER_CACHE_ENTRIES,
                            "names",
                            KeyForm.DRIVER,
                            "Names that other drivers have told."),
                    of(
                            CounterTypes.RESOLVER_BOOTSTRAP_NEIGHBOR,
                            "bootstrap_neighbor_up",
                            KeyForm.ADDRESS,
                            "1 while a bootstrap neighbor is known as a neighbor, else 0."));

    private ResolverMetrics() {}

    private static Metric of(int typeId, String name, KeyForm key, String help) {
        return new Metric(typeId, Metric.ANY, "verbus_resolver_" + name, Unit.COUNT, key, help);
    }
}
