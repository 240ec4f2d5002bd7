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
 * What one run has measured.
 *
 * @param work that was asked for.
 * @param outcome of it.
 * @param scaling how its rate was fitted to the machine, if it was.
 */
public record RttReport(Work work, Outcome outcome, Optional<Scaling> scaling) {
    /**
     * A rate as it was asked for.
     *
     * @param work that was asked for.
     * @param outcome of it.
     */
    public RttReport(Work work, Outcome outcome) {
        this(work, outcome, Optional.empty());
    }

    /** Percentiles, for people. */
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

    /** A short name. */
    public String name() {
        return work.wire() + " " + work.length() + " B";
    }

    /**
     * Everything, for programs: an object, or a list of them if there are several reports.
     *
     * @param reports at least one.
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

    /** What was asked for, and on which machine. */
    public Map<String, Object> environment() {
        Map<String, Object> map = WorkReport.toMap(work);
        map.put("environment", WorkReport.environment());
        return map;
    }

    /** The whole distribution in microseconds, in HdrHistogram's text format. */
    public String hgrm() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        outcome.measurement()
                .histogram()
                .outputPercentileDistribution(
                        new PrintStream(bytes, true, StandardCharsets.UTF_8), 1000.0);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** One sentence for a run that could not hold its rate. */
    public String missedRate() {
        return String.format(
                Locale.ROOT,
                "the rate of %,d/s was missed: the last message was sent %,.1f ms late; choose a"
                        + " lower --rate",
                work.load().rate(),
                outcome.measurement().latenessNs() / 1e6);
    }
}
