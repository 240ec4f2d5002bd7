// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.rtt.Work;
import io.verbus.perf.run.Runner;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Ratios of pairs of runs, Verbus over its peer: below 1 is faster. */
public final class Comparison {
    private static final Set<Percentile> COMPARED =
            Set.of(Percentile.P50, Percentile.P90, Percentile.P99);

    private final Work work;
    private final String peer;
    private final Map<Percentile, List<Double>> ratios = new EnumMap<>(Percentile.class);
    private final Map<Percentile, List<Double>> verbusMicroseconds =
            new EnumMap<>(Percentile.class);
    private final Map<Percentile, List<Double>> peerMicroseconds = new EnumMap<>(Percentile.class);
    private final List<Double> rateRatios = new ArrayList<>();
    private final Map<String, Object> versions = new LinkedHashMap<>();

    /**
     * @param work that Verbus does.
     * @param peer that does the same.
     */
    public Comparison(Work work, String peer) {
        this.work = work;
        this.peer = peer;
        for (Percentile percentile : Percentile.values()) {
            if (COMPARED.contains(percentile)) {
                ratios.put(percentile, new ArrayList<>());
                verbusMicroseconds.put(percentile, new ArrayList<>());
                peerMicroseconds.put(percentile, new ArrayList<>());
            }
        }
    }

    /** First lines of the table. */
    public String header() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "verbus %s / %s, %d bytes, %s; us of Verbus, of %s, and the ratio%n",
                        work.wire(),
                        peer,
                        work.length(),
                        WorkReport.rate(work),
                        peer));
        text.append("pair");
        ratios.keySet().forEach(p -> text.append(String.format(Locale.ROOT, " | %27s", p.text())));
        return text.append(System.lineSeparator()).toString();
    }

    /** Adds a pair of runs; returns its line of the table. */
    public String add(Runner.Outcome verbus, Runner.Outcome other) {
        versions.put("verbus", verbus.version());
        versions.put("peer", other.version());
        StringBuilder line = new StringBuilder();
        for (Percentile percentile : ratios.keySet()) {
            double ours = microseconds(percentile, verbus);
            double theirs = microseconds(percentile, other);
            verbusMicroseconds.get(percentile).add(ours);
            peerMicroseconds.get(percentile).add(theirs);
            ratios.get(percentile).add(ours / theirs);
            line.append(
                    String.format(
                            Locale.ROOT, " | %,9.3f %,9.3f %7.3f", ours, theirs, ours / theirs));
        }
        rateRatios.add(verbus.measurement().perSecond() / other.measurement().perSecond());
        return String.format(Locale.ROOT, "%4d%s%n", rateRatios.size(), line);
    }

    /** Last lines of the table. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        ratios.forEach(
                (percentile, values) -> {
                    Spread spread = Spread.of(values);
                    text.append(
                            String.format(
                                    Locale.ROOT,
                                    "%s ratio: median %.3f, min %.3f, max %.3f%n",
                                    percentile.text(),
                                    spread.median(),
                                    spread.min(),
                                    spread.max()));
                });
        return text.toString();
    }

    /** Everything, for programs. */
    public String json() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("transport", work.wire().toString());
        report.put("peer", peer);
        report.put("pairs", rateRatios.size());
        Map<String, Object> spreads = spreads(ratios);
        spreads.put("messagesPerSecond", Spread.of(rateRatios).toMap());
        report.put("ratios", spreads);
        Map<String, Object> microseconds = new LinkedHashMap<>();
        microseconds.put("verbus", spreads(verbusMicroseconds));
        microseconds.put("peer", spreads(peerMicroseconds));
        report.put("microseconds", microseconds);
        report.put("versions", versions);
        report.put("work", WorkReport.toMap(work));
        report.put("environment", WorkReport.environment());
        return Json.write(report);
    }

    private static Map<String, Object> spreads(Map<Percentile, List<Double>> values) {
        Map<String, Object> spreads = new LinkedHashMap<>();
        values.forEach((p, list) -> spreads.put(p.text(), Spread.of(list).toMap()));
        return spreads;
    }

    private static double microseconds(Percentile percentile, Runner.Outcome outcome) {
        Histogram histogram = outcome.measurement().histogram();
        return percentile.microseconds(histogram);
    }
}
