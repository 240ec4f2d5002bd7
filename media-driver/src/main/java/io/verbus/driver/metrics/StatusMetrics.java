// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.driver.metrics.Metric.KeyForm;
import io.verbus.driver.metrics.Metric.Unit;

import java.util.List;

/**
 * Metrics that are not derived from counters, but from other sections of the CnC file and from the
 * latency file.
 */
final class StatusMetrics {
    static final Metric UP =
            of(
                    "up",
                    Unit.STATE,
                    KeyForm.DRIVER,
                    "1 if the driver sent a heartbeat recently, otherwise 0.");

    static final Metric HEARTBEAT_AGE =
            of(
                    "driver_heartbeat_age_seconds",
                    Unit.MILLISECONDS,
                    KeyForm.DRIVER,
                    "Time since the driver's last heartbeat.");

    static final Metric START =
            of(
                    "driver_start_timestamp_seconds",
                    Unit.MILLISECONDS,
                    KeyForm.DRIVER,
                    "Unix time at which the driver started.");

    static final Metric COUNTERS_USED =
            of("counters_used", Unit.COUNT, KeyForm.DRIVER, "Counters in use.");

    static final Metric COUNTERS_MAX =
            of(
                    "counters_max",
                    Unit.COUNT,
                    KeyForm.DRIVER,
                    "Maximum number of counters; see counter-values-length.");

    static final Metric LOGGED_ERRORS =
            of(
                    "logged_errors_total",
                    Unit.COUNT,
                    KeyForm.ERROR,
                    "Number of occurrences of each of the 50 most recent errors in the error log.");

    static final Metric LOGGED_ERROR_LAST =
            of(
                    "logged_error_last_timestamp_seconds",
                    Unit.MILLISECONDS,
                    KeyForm.ERROR,
                    "Unix time of an error's last occurrence.");

    static final Metric LATENCY =
            of(
                    "latency_seconds",
                    Unit.NANOSECONDS,
                    KeyForm.HOP,
                    "Sampled hop durations, as a lower and an upper bound.");

    static final List<Metric> ALL =
            List.of(
                    UP,
                    HEARTBEAT_AGE,
                    START,
                    COUNTERS_USED,
                    COUNTERS_MAX,
                    LOGGED_ERRORS,
                    LOGGED_ERROR_LAST,
                    LATENCY);

    private StatusMetrics() {}

    private static Metric of(String name, Unit unit, KeyForm key, String help) {
        return new Metric(MetricTable.NO_COUNTER, Metric.ANY, "verbus_" + name, unit, key, help);
    }
}
