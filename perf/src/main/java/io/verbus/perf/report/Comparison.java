// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Work;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Ratios of pairs of runs, subject over peer. */
public final class Comparison {
    private final String subject;
    private final String peer;
    private final int slices;
    private final List<Work> works = new ArrayList<>();
    private final Map<String, List<Double>> ratios = new LinkedHashMap<>();
    private final Map<String, List<Double>> ofSubject = new LinkedHashMap<>();
    private final Map<String, List<Double>> ofPeer = new LinkedHashMap<>();
    private final Map<String, Object> versions = new LinkedHashMap<>();

    /**
     * @param subject name of the subject.
     * @param peer name of the peer that does the same work.
     * @param slices number of parts of each measurement, between which the two alternate.
     */
    public Comparison(String subject, String peer, int slices) {
        this.subject = subject;
        this.peer = peer;
        this.slices = slices;
    }

    /** Starts the comparison of some work; returns its line of the table. */
    public String begin(Work work) {
        works.add(work);
        return String.format(
                Locale.ROOT,
                "%s, %s / %s, %d bytes, %s; the first, the second, and the ratio%n",
                work.wire(),
                subject,
                peer,
                work.length(),
                WorkReport.rate(work));
    }

    /** Records the versions of what is compared. */
    public void versions(String subject, String other) {
        versions.put("subject", subject);
        versions.put("peer", other);
    }

    /**
     * Adds the figures of a pair of runs; returns their line of the table.
     *
     * @param subject figures of the subject, by name.
     * @param other figures of the peer, with the same names.
     */
    public String add(Map<String, Double> subject, Map<String, Double> other) {
        StringBuilder line = new StringBuilder();
        subject.forEach(
                (name, ours) -> {
                    double theirs = other.get(name);
                    list(ofSubject, name).add(ours);
                    list(ofPeer, name).add(theirs);
                    list(ratios, name).add(ours / theirs);
                    line.append(
                            String.format(
                                    Locale.ROOT,
                                    "  %s %s %s %.3f",
                                    name,
                                    shown(ours),
                                    shown(theirs),
                                    ours / theirs));
                });
        return line.append(System.lineSeparator()).toString();
    }

    private static String shown(double value) {
        return String.format(Locale.ROOT, value < 10_000 ? "%.3f" : "%,.0f", value);
    }

    private static List<Double> list(Map<String, List<Double>> lists, String name) {
        return lists.computeIfAbsent(name, unused -> new ArrayList<>());
    }

    /** Returns the display name, "subject / peer". */
    public String name() {
        return subject + " / " + peer;
    }

    /** Returns whether no figures were added. */
    public boolean isEmpty() {
        return ratios.isEmpty();
    }

    /** Returns the last lines of the table. */
    public String summary() {
        StringBuilder text = new StringBuilder();
        ratios.forEach(
                (name, values) -> {
                    Spread spread = Spread.of(values);
                    text.append(
                            String.format(
                                    Locale.ROOT,
                                    "%s ratio: median %.3f, min %.3f, max %.3f%n",
                                    name,
                                    spread.median(),
                                    spread.min(),
                                    spread.max()));
                });
        return text.toString();
    }

    /** Returns all results as JSON. Percentiles are in microseconds. */
    public String json() {
        return Json.write(toMap());
    }

    /** Returns all results as a map for JSON. */
    public Map<String, Object> toMap() {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("transport", works.getFirst().wire().toString());
        report.put("peer", peer);
        report.put("pairs", ratios.values().iterator().next().size());
        report.put("ratios", spreads(ratios));
        report.put("subject", subject);
        report.put("slices", slices);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("subject", spreads(ofSubject));
        figures.put("peer", spreads(ofPeer));
        report.put("figures", figures);
        report.putAll(environment());
        return report;
    }

    /** Returns the versions, the work and the machine. */
    public Map<String, Object> environment() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("versions", versions);
        map.put("work", works.stream().map(WorkReport::toMap).toList());
        map.put("environment", WorkReport.environment());
        return map;
    }

    private static Map<String, Object> spreads(Map<String, List<Double>> values) {
        Map<String, Object> spreads = new LinkedHashMap<>();
        values.forEach((name, list) -> spreads.put(name, Spread.of(list).toMap()));
        return spreads;
    }
}
