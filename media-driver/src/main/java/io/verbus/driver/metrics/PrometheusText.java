// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.CncFile;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Formats a driver's metrics in Prometheus' text format, version 0.0.4: each metric's help and
 * type, followed by its series. Memory is reused. Used by one thread at a time.
 */
public final class PrometheusText {
    /** Content type of the text for HTTP. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Map<Metric, StringBuilder> families = new HashMap<>();
    private final HopHistograms hops = new HopHistograms();
    private final Set<String> seen = new HashSet<>();
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder series = new StringBuilder();

    /**
     * Formats the metrics.
     *
     * @param look state of the driver; if there is no driver, the text reports only that.
     */
    public String of(DriverWatch.Look look) {
        families.values().forEach(family -> family.setLength(0));
        seen.clear();
        single(StatusMetrics.UP, look.isAlive() ? 1 : 0);
        if (look.cnc() != null) {
            single(StatusMetrics.HEARTBEAT_AGE, look.ageMs());
            single(StatusMetrics.START, look.cnc().spec().startMs());
            counters(new ReadCounters(look.cnc()));
            errors(look.cnc());
        }
        if (look.latency() != null) {
            hops.add(look.latency(), family(StatusMetrics.LATENCY));
        }
        text.setLength(0);
        for (Metric metric : MetricTable.all()) {
            StringBuilder family = families.get(metric);
            if (family != null && !family.isEmpty()) {
                text.append("# HELP ").append(metric.name()).append(' ').append(metric.help());
                text.append("\n# TYPE ").append(metric.name()).append(' ').append(metric.kind());
                text.append('\n').append(family);
            }
        }
        return text.toString();
    }

    private void counters(ReadCounters counters) {
        MetricLabels labels = new MetricLabels(counters);
        int[] used = new int[1];
        counters.forEach(
                (id, typeId, key) -> {
                    used[0]++;
                    Metric metric = MetricTable.of(typeId, MetricLabels.number(typeId, key));
                    begin(metric);
                    labels.forEach(metric, id, typeId, key, this::label);
                    end(metric, id, metric.unit().text(counters.values().getCounterValue(id)));
                });
        single(StatusMetrics.COUNTERS_USED, used[0]);
        single(StatusMetrics.COUNTERS_MAX, counters.values().maxCounterId() + 1L);
    }

    private void errors(CncFile cnc) {
        for (LoggedErrors.Logged error : LoggedErrors.read(cnc.errorLog())) {
            begin(StatusMetrics.LOGGED_ERRORS);
            label("error", error.text());
            end(StatusMetrics.LOGGED_ERRORS, 0, Long.toString(error.count()));
            begin(StatusMetrics.LOGGED_ERROR_LAST);
            label("error", error.text());
            String last = StatusMetrics.LOGGED_ERROR_LAST.unit().text(error.lastMs());
            end(StatusMetrics.LOGGED_ERROR_LAST, 0, last);
        }
    }

    private void single(Metric metric, long value) {
        begin(metric);
        end(metric, 0, metric.unit().text(value));
    }

    private void begin(Metric metric) {
        series.setLength(0);
        series.append(metric.name());
    }

    private StringBuilder family(Metric metric) {
        return families.computeIfAbsent(metric, absent -> new StringBuilder());
    }

    private void label(String name, String value) {
        series.append(series.indexOf("{") < 0 ? '{' : ',').append(name).append("=\"");
        appendEscaped(series, value);
        series.append('"');
    }

    /** Appends the value of a label, with its special characters escaped. */
    static void appendEscaped(StringBuilder to, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> to.append("\\\\");
                case '"' -> to.append("\\\"");
                case '\n' -> to.append("\\n");
                default -> to.append(c);
            }
        }
    }

    /**
     * Ends a series. Two series with the same name must differ in a label, so the counter's id is
     * added to duplicates.
     */
    private void end(Metric metric, int id, String value) {
        if (!seen.add(series.toString())) {
            label("counter", Integer.toString(id));
            if (!seen.add(series.toString())) {
                return;
            }
        }
        if (series.indexOf("{") >= 0) {
            series.append('}');
        }
        family(metric).append(series).append(' ').append(value).append('\n');
    }
}
