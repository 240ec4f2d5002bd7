// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Work;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Report of one round-trip run.
 *
 * @param work measured work.
 * @param outcome outcome of the run.
 * @param scaling adaptation of the rate to the machine, if any.
 */
public record RttReport(Work work, Outcome outcome, Optional<Scaling> scaling) {
    /**
     * Creates a report of a run at the requested rate.
     *
     * @param work measured work.
     * @param outcome outcome of the run.
     */
    public RttReport(Work work, Outcome outcome) {
        this(work, outcome, Optional.empty());
    }

    /** Returns a table of percentiles. */
    public String table() {
        Measurement measurement = outcome.measurement();
        StringBuilder table = new StringBuilder();
        table.append(
                String.format(
                        Locale.ROOT,
                        "%s, %s, %d bytes, %s: %,d round trips after %,d of warm-up, %,.0f/s%n",
                        outcome.version(),
                        work.wire(),
                        work.length(),
                        WorkReport.rate(work),
                        measurement.histogram().getTotalCount(),
                        work.warmup(),
                        measurement.perSecond()));
        scaling.ifPresent(fitted -> table.append(fitted.text()).append(System.lineSeparator()));
        table.append(String.format(Locale.ROOT, "%10s %12s%n", "percentile", "us"));
        for (Percentile percentile : Percentile.values()) {
            table.append(
                    String.format(
                            Locale.ROOT,
                            "%10s %,12.3f%n",
                            percentile.text(),
                            percentile.microseconds(measurement.histogram())));
        }
        return table.toString();
    }

    /** Returns the display name. */
    public String name() {
        return work.wire() + " " + work.length() + " B";
    }

    /**
     * Returns the reports as JSON: an object if there is one, else a list.
     *
     * @param reports one report or several.
     */
    public static String json(List<RttReport> reports) {
        List<Map<String, Object>> maps = reports.stream().map(RttReport::toMap).toList();
        return Json.write(maps.size() == 1 ? maps.getFirst() : maps);
    }

    private Map<String, Object> toMap() {
        Measurement measurement = outcome.measurement();
        Map<String, Object> microseconds = new LinkedHashMap<>();
        for (Percentile percentile : Percentile.values()) {
            microseconds.put(percentile.text(), percentile.microseconds(measurement.histogram()));
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("bus", outcome.version());
        report.putAll(WorkReport.toMap(work));
        scaling.ifPresent(
                fitted -> {
                    report.put("rateAsked", fitted.asked());
                    report.put("sustainedPerSecond", fitted.sustained());
                });
        report.put("samples", measurement.histogram().getTotalCount());
        report.put("messagesPerSecond", measurement.perSecond());
        report.put("missedRate", measurement.missedRate());
        report.put("microseconds", microseconds);
        report.put("environment", WorkReport.environment());
        return report;
    }

    /** Returns the work and the machine. */
    public Map<String, Object> environment() {
        Map<String, Object> map = WorkReport.toMap(work);
        map.put("environment", WorkReport.environment());
        return map;
    }

    /** Returns the distribution in microseconds, in HdrHistogram's text format. */
    public String hgrm() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        outcome.measurement()
                .histogram()
                .outputPercentileDistribution(
                        new PrintStream(bytes, true, StandardCharsets.UTF_8), 1000.0);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns one sentence for a run that missed its rate. */
    public String missedRate() {
        return String.format(
                Locale.ROOT,
                "the rate of %,d/s was missed: the last message was sent %,.1f ms late; choose a"
                        + " lower --rate",
                work.load().rate(),
                outcome.measurement().latenessNs() / 1e6);
    }
}
