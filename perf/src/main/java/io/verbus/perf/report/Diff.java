// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.BusException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** Compares two stored reports of the same work, figure by figure. */
public final class Diff {
    private static final double PERCENT = 100;

    private final StoredReport before;
    private final StoredReport after;

    /**
     * @param before first report.
     * @param after second report, which is divided by the first.
     */
    public Diff(StoredReport before, StoredReport after) {
        this.before = before;
        this.after = after;
    }

    /**
     * Returns the ratios of all figures that both reports have, with their intervals.
     *
     * @throws BusException if the reports have no work or figure in common.
     */
    public String text() {
        Map<Integer, Integer> same = sameWorks();
        StringBuilder text = new StringBuilder();
        append(text, before);
        append(text, after);
        text.append(format("%s / %s%n", after.name(), before.name()));
        List<StoredReport.Key> keys = after.keys();
        int compared = 0;
        int work = -1;
        for (StoredReport.Key key : before.keys()) {
            Integer other = same.get(key.work());
            if (other != null && keys.contains(key.ofWork(other))) {
                if (work != key.work()) {
                    work = key.work();
                    text.append(format("%s%n", name(before.works().get(work))));
                }
                text.append(line(key, before.values(key), after.values(key.ofWork(other))));
                compared++;
            }
        }
        if (compared == 0) {
            throw new BusException(
                    before.name()
                            + " and "
                            + after.name()
                            + " have no figures in common: compare reports of the same"
                            + " contenders");
        }
        return text.append(onlyInOne(same)).toString();
    }

    private static void append(StringBuilder text, StoredReport report) {
        text.append(format("%s: %s%n", report.name(), report.facts()));
        report.warnings()
                .forEach(
                        warning ->
                                text.append(format("warning in %s: %s%n", report.name(), warning)));
    }

    private static String line(StoredReport.Key key, List<Double> before, List<Double> after) {
        if (!isPositive(before) || !isPositive(after)) {
            return format("  %s: no ratio, because a value is missing or 0%n", key.text());
        }
        RatioInterval interval = RatioInterval.of(before, after);
        if (!interval.isConfident()) {
            return format(
                    "  %s: %s, too few pairs for an interval%n",
                    key.text(), Figure.number(interval.ratio()));
        }
        return format(
                "  %s: %s (%s to %s with %.1f %%), %s%n",
                key.text(),
                Figure.number(interval.ratio()),
                Figure.number(interval.low()),
                Figure.number(interval.high()),
                interval.confidence() * PERCENT,
                verdict(key, interval));
    }

    private static boolean isPositive(List<Double> values) {
        return values.stream().allMatch(value -> value > 0);
    }

    private static String verdict(StoredReport.Key key, RatioInterval interval) {
        if (!interval.showsDifference()) {
            return "no difference shown";
        }
        boolean isLower = interval.high() < 1;
        boolean isBetter = isLower == key.better().equals(Figure.Better.LOWER.toString());
        return (isLower ? "lower, " : "higher, ") + (isBetter ? "better" : "worse");
    }

    /**
     * Returns the works that both reports have: their number in the second by that in the first.
     */
    private Map<Integer, Integer> sameWorks() {
        Map<Integer, Integer> same = new HashMap<>();
        List<Map<String, Object>> ours = before.works();
        List<Map<String, Object>> others = after.works();
        for (int i = 0; i < ours.size(); i++) {
            for (int j = 0; j < others.size(); j++) {
                if (differences(ours.get(i), others.get(j)).isEmpty()
                        && !same.containsValue(j)
                        && !same.containsKey(i)) {
                    same.put(i, j);
                }
            }
        }
        if (same.isEmpty()) {
            throw new BusException(
                    before.name()
                            + " and "
                            + after.name()
                            + " measure different work: "
                            + closest(ours, others)
                            + "; measure again with the same options");
        }
        return same;
    }

    /** Returns what differs between the two works that differ least. */
    private static String closest(
            List<Map<String, Object>> ours, List<Map<String, Object>> others) {
        List<String> closest = null;
        for (Map<String, Object> one : ours) {
            for (Map<String, Object> other : others) {
                List<String> differences = differences(one, other);
                if (closest == null || differences.size() < closest.size()) {
                    closest = differences;
                }
            }
        }
        return closest == null
                ? "one of the reports has no measurements"
                : String.join(", ", closest);
    }

    private static List<String> differences(Map<String, Object> one, Map<String, Object> other) {
        Set<String> keys = new TreeSet<>(one.keySet());
        keys.addAll(other.keySet());
        keys.removeAll(WorkReport.OF_MACHINE);
        List<String> differences = new ArrayList<>();
        for (String key : keys) {
            if (!Objects.equals(one.get(key), other.get(key))) {
                differences.add(key + " is " + text(one.get(key)) + " and " + text(other.get(key)));
            }
        }
        return differences;
    }

    private static String text(Object value) {
        if (value instanceof Double number && number == Math.rint(number)) {
            return format("%,.0f", number);
        }
        return value == null ? "not given" : value.toString();
    }

    private String onlyInOne(Map<Integer, Integer> same) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < before.works().size(); i++) {
            if (!same.containsKey(i)) {
                text.append(format("only in %s: %s%n", before.name(), name(before.works().get(i))));
            }
        }
        for (int i = 0; i < after.works().size(); i++) {
            if (!same.containsValue(i)) {
                text.append(format("only in %s: %s%n", after.name(), name(after.works().get(i))));
            }
        }
        return text.toString();
    }

    private static String name(Map<String, Object> work) {
        return format(
                "%s, %s, %s bytes, rate %s",
                work.get("metric"),
                work.get("transport"),
                text(work.get("length")),
                text(work.get("rate")));
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
