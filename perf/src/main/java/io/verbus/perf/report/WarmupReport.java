// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Work;
import io.verbus.perf.run.ColdStart;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Report of the start-up times of new processes and their first round trips, relative to a peer in
 * the same turn.
 */
public final class WarmupReport {
    /** Name of the peer that the others are compared with. */
    public static final String PEER = "aeron";

    private static final double NS_PER_MS = 1e6;

    private final Work work;
    private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    private final Map<String, Object> versions = new LinkedHashMap<>();

    /**
     * @param work work of each process.
     */
    public WarmupReport(Work work) {
        this.work = work;
    }

    /** Returns the work of each process. */
    public Work work() {
        return work;
    }

    /** Returns the first lines of the table. */
    public String header() {
        return String.format(
                Locale.ROOT,
                "first %,d round trips of a new process, %d bytes%n%-16s %14s %12s %12s %12s%n",
                work.messages(),
                work.length(),
                "",
                "first, ms",
                "p50, us",
                "p99, us",
                "max, us");
    }

    /** Adds the result of a process; returns its line of the table. */
    public String add(String name, ColdStart start) {
        versions.put(name, start.version());
        Map<String, List<Double>> lists =
                figures.computeIfAbsent(name, unused -> new LinkedHashMap<>());
        double first = start.firstEchoNs() / NS_PER_MS;
        double p50 = Percentile.P50.microseconds(start.measurement().histogram());
        double p99 = Percentile.P99.microseconds(start.measurement().histogram());
        double max = Percentile.MAX.microseconds(start.measurement().histogram());
        list(lists, "firstMessageMs").add(first);
        list(lists, "p50").add(p50);
        list(lists, "p99").add(p99);
        list(lists, "max").add(max);
        return String.format(
                Locale.ROOT, "%-16s %,14.1f %,12.3f %,12.3f %,12.3f%n", name, first, p50, p99, max);
    }

    private static List<Double> list(Map<String, List<Double>> lists, String name) {
        return lists.computeIfAbsent(name, unused -> new ArrayList<>());
    }

    /** Returns the last lines of the table. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        ratios().forEach(
                        (name, spreads) ->
                                spreads.forEach(
                                        (figure, spread) ->
                                                text.append(
                                                        String.format(
                                                                Locale.ROOT,
                                                                "%s / %s, %s: median %.3f, min"
                                                                        + " %.3f, max %.3f%n",
                                                                name,
                                                                PEER,
                                                                figure,
                                                                spread.median(),
                                                                spread.min(),
                                                                spread.max()))));
        return text.toString();
    }

    /** Returns the ratios to the peer's figures of the same turn, by name and figure. */
    Map<String, Map<String, Spread>> ratios() {
        Map<String, Map<String, Spread>> ratios = new LinkedHashMap<>();
        figures.forEach(
                (name, lists) -> {
                    if (!name.equals(PEER)) {
                        Map<String, Spread> spreads = new LinkedHashMap<>();
                        lists.forEach((figure, list) -> spreads.put(figure, ratio(figure, list)));
                        ratios.put(name, spreads);
                    }
                });
        return ratios;
    }

    private Spread ratio(String figure, List<Double> ours) {
        List<Double> theirs = figures.get(PEER).get(figure);
        List<Double> quotients = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            quotients.add(ours.get(i) / theirs.get(i));
        }
        return Spread.of(quotients);
    }

    /** Returns all results as JSON. */
    public String json() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("transport", work.wire().toString());
        report.put("peer", PEER);
        report.put("pairs", figures.get(PEER).get("p50").size());
        Map<String, Object> ratios = new LinkedHashMap<>();
        ratios().forEach(
                        (name, spreads) -> {
                            Map<String, Object> map = new LinkedHashMap<>();
                            spreads.forEach((figure, spread) -> map.put(figure, spread.toMap()));
                            ratios.put(name, map);
                        });
        report.put("ratios", ratios);
        Map<String, Object> absolute = new LinkedHashMap<>();
        figures.forEach(
                (name, lists) -> {
                    Map<String, Object> map = new LinkedHashMap<>();
                    lists.forEach((figure, list) -> map.put(figure, Spread.of(list).toMap()));
                    absolute.put(name, map);
                });
        report.put("figures", absolute);
        report.put("versions", versions);
        report.put("work", WorkReport.toMap(work));
        report.put("environment", WorkReport.environment());
        return Json.write(report);
    }
}
