// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Figures of one work in a report: those of every contender, in each pair of runs. Every contender
 * but the last is compared with the last.
 */
public final class Section {
    private final String metric;
    private final Work work;
    private final Map<String, Object> details;
    private final List<String> contenders;
    private final List<Map<String, Map<Figure, Double>>> pairs = new ArrayList<>();
    private final Map<String, Histogram> histograms = new LinkedHashMap<>();
    private final Map<String, List<Long>> missedByNs = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final Map<String, Object> lists = new LinkedHashMap<>();
    private Table table = new Table(List.of(), List.of());

    /**
     * Rows to show below the figures.
     *
     * @param columns names of the columns.
     * @param rows cells, with their units.
     */
    public record Table(List<String> columns, List<List<String>> rows) {}

    /**
     * @param metric what is measured, such as "round trips".
     * @param work measured work.
     * @param details further settings of the measurement, for JSON.
     * @param contenders names, in display order; the last is the peer of all others.
     */
    Section(String metric, Work work, Map<String, Object> details, List<String> contenders) {
        this.metric = metric;
        this.work = work;
        this.details = new LinkedHashMap<>(details);
        this.contenders = List.copyOf(contenders);
    }

    /**
     * Adds the figures of a pair of runs, by contender.
     *
     * @param pair figures of every contender.
     */
    public void add(Map<String, Map<Figure, Double>> pair) {
        pairs.add(pair);
    }

    /** Adds the round trips of a pair of runs, by contender. */
    public void addRoundTrips(Map<String, Measurement> pair) {
        Map<String, Map<Figure, Double>> figures = new LinkedHashMap<>();
        pair.forEach(
                (contender, measurement) -> {
                    figures.put(contender, Figures.of(measurement));
                    keep(contender, measurement);
                });
        add(figures);
    }

    /** Adds the streams of a pair of runs, by contender. */
    public void addStreams(Map<String, Throughput> pair) {
        Map<String, Map<Figure, Double>> figures = new LinkedHashMap<>();
        pair.forEach((contender, throughput) -> figures.put(contender, Figures.of(throughput)));
        add(figures);
        if (pair.values().stream().anyMatch(each -> !Figures.isCpuMeasured(each))
                && !notes.contains(Figures.NO_CPU)) {
            notes.add(Figures.NO_CPU);
        }
    }

    /** Adds samples to the plot of a contender, and a warning if the run missed its rate. */
    public void keep(String contender, Measurement measurement) {
        Histogram sum = histograms.get(contender);
        if (sum == null) {
            histograms.put(contender, measurement.histogram().copy());
        } else {
            sum.add(measurement.histogram());
        }
        if (measurement.missedRate()) {
            missedByNs
                    .computeIfAbsent(contender, unused -> new ArrayList<>())
                    .add(measurement.latenessNs());
        }
    }

    /** Records the adaptation of the rate to the machine. */
    public void scaled(Scaling scaling) {
        notes.add(scaling.text());
        details.put(WorkReport.RATE_ASKED, scaling.asked());
        details.put(WorkReport.SUSTAINED, scaling.sustained());
    }

    /**
     * Adds rows to show below the figures.
     *
     * @param note sentence above the rows.
     */
    public void show(String note, Table table) {
        notes.add(note);
        this.table = table;
    }

    /** Adds a list to the pairs in JSON, such as all stalls of a run. */
    public void list(String name, List<?> values) {
        lists.put(name, values);
    }

    /** Returns whether a run missed its rate. */
    public boolean missedRate() {
        return !missedByNs.isEmpty();
    }

    /** Returns all samples of a contender. */
    public Histogram histogram(String contender) {
        return histograms.get(contender);
    }

    /** Returns a name that distinguishes the section from others of its report. */
    public String name() {
        return metric + ", " + WorkReport.name(work);
    }

    Work work() {
        return work;
    }

    String metric() {
        return metric;
    }

    List<String> contenders() {
        return contenders;
    }

    /** Returns the contenders that are compared with the last. */
    List<String> subjects() {
        return contenders.subList(0, contenders.size() - 1);
    }

    String peer() {
        return contenders.getLast();
    }

    int pairs() {
        return pairs.size();
    }

    List<String> notes() {
        return notes;
    }

    Table table() {
        return table;
    }

    Map<String, Histogram> histograms() {
        return histograms;
    }

    /** Returns the figures that a contender has in all pairs, in display order. */
    List<Figure> figures(String contender) {
        return pairs.isEmpty()
                ? List.of()
                : pairs.getFirst().get(contender).keySet().stream()
                        .filter(figure -> pairs.stream().allMatch(has(contender, figure)))
                        .toList();
    }

    private static Predicate<Map<String, Map<Figure, Double>>> has(
            String contender, Figure figure) {
        return pair -> pair.get(contender).containsKey(figure);
    }

    /**
     * Returns the figures by which a contender is compared with the peer: not those of which the
     * peer has a 0, such as processor time below the resolution of its clock.
     */
    List<Figure> comparedFigures(String subject) {
        List<Figure> peers = figures(peer());
        return figures(subject).stream()
                .filter(figure -> figure.isCompared() && peers.contains(figure))
                .filter(figure -> ratios(subject, figure).stream().allMatch(Double::isFinite))
                .toList();
    }

    /** Returns a contender's figures of the last pair. */
    Map<Figure, Double> last(String contender) {
        return pairs.getLast().get(contender);
    }

    /** Returns the values of a figure, one for each pair. */
    List<Double> values(String contender, Figure figure) {
        return pairs.stream().map(pair -> pair.get(contender).get(figure)).toList();
    }

    /** Returns a figure divided by the peer's, one for each pair. */
    List<Double> ratios(String contender, Figure figure) {
        return pairs.stream()
                .map(pair -> pair.get(contender).get(figure) / pair.get(peer()).get(figure))
                .toList();
    }

    /** Returns what makes the section's figures doubtful on a machine with this many CPUs. */
    List<String> warnings(int cpus) {
        List<String> warnings = new ArrayList<>();
        Threads threads = Threads.of(work);
        if (threads.busy() > cpus) {
            warnings.add(
                    String.format(
                            Locale.ROOT,
                            "%d busy threads of drivers and ends share %d CPU%s: times include"
                                    + " waits for a CPU",
                            threads.busy(),
                            cpus,
                            cpus == 1 ? "" : "s"));
        }
        missedByNs.forEach(
                (contender, latenesses) ->
                        warnings.add(
                                String.format(
                                        Locale.ROOT,
                                        "%s missed the rate of %,d/s%s: the last message was sent"
                                                + " %s%,.1f ms late; choose a lower --rate",
                                        contender,
                                        work.load().rate(),
                                        pairs.size() == 1 ? "" : missed(latenesses.size()),
                                        latenesses.size() == 1 ? "" : "up to ",
                                        Collections.max(latenesses) / 1e6)));
        return warnings;
    }

    private String missed(int runs) {
        return " in " + runs + " of " + pairs.size() + " runs";
    }

    /** Returns the work for JSON. */
    Map<String, Object> workToMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("metric", metric);
        map.putAll(WorkReport.toMap(work));
        map.putAll(details);
        return map;
    }

    /**
     * Returns the figures and ratios for JSON.
     *
     * @param number number of this work in the report.
     */
    List<Map<String, Object>> figuresToMaps(int number) {
        List<Map<String, Object>> maps = new ArrayList<>();
        for (String contender : contenders) {
            for (Figure figure : figures(contender)) {
                Map<String, Object> map = map(number, contender, figure);
                map.put("unit", figure.unit());
                map.putAll(Spread.of(values(contender, figure)).toMap());
                maps.add(map);
            }
        }
        for (String subject : subjects()) {
            for (Figure figure : comparedFigures(subject)) {
                Map<String, Object> map = map(number, subject, figure);
                map.put("peer", peer());
                map.put("unit", "ratio");
                map.putAll(Spread.of(ratios(subject, figure)).toMap());
                maps.add(map);
            }
        }
        return maps;
    }

    private static Map<String, Object> map(int number, String contender, Figure figure) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("work", number);
        map.put("contender", contender);
        map.put("figure", figure.name());
        map.put("better", figure.better().toString());
        return map;
    }

    /** Returns the figures of every pair for JSON. */
    List<Map<String, Object>> pairsToMaps(int number) {
        List<Map<String, Object>> maps = new ArrayList<>();
        for (Map<String, Map<Figure, Double>> pair : pairs) {
            Map<String, Object> figures = new LinkedHashMap<>();
            pair.forEach(
                    (contender, values) -> {
                        Map<String, Object> named = new LinkedHashMap<>();
                        values.forEach((figure, value) -> named.put(figure.name(), value));
                        figures.put(contender, named);
                    });
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("work", number);
            map.put("pair", maps.size() + 1);
            map.put("figures", figures);
            map.putAll(lists);
            maps.add(map);
        }
        return maps;
    }
}
