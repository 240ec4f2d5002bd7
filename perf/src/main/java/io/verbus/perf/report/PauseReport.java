// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Stall;
import io.verbus.perf.load.StallList;
import io.verbus.perf.report.Figure.Better;
import io.verbus.perf.report.Section.Table;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares the stalls of a run with the JVM's safepoints. A stall is a chain of late round trips
 * that overlap each other, so it may last longer than the longest of them.
 */
public final class PauseReport {
    private static final int SHOWN = 10;
    private static final double NS_PER_US = 1000;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);

    private static final Figure STALLS = new Figure("stalls", "stalls", Better.NEITHER);
    private static final Figure AT_SAFEPOINTS =
            new Figure("stalls at safepoints", "stalls", Better.NEITHER);
    private static final Figure OUTLIERS = new Figure("outliers", "messages", Better.NEITHER);
    private static final Figure SAFEPOINTS = new Figure("safepoints", "safepoints", Better.NEITHER);
    private static final Figure COLLECTIONS =
            new Figure("collections", "collections", Better.NEITHER);

    /** Line of {@code -Xlog:safepoint} with the decoration {@code timenanos}. */
    private static final Pattern SAFEPOINT =
            Pattern.compile("\\[(\\d+)ns\\].*Safepoint \"([^\"]+)\".*Total: +(\\d+) ns");

    private static final Pattern COLLECTION = Pattern.compile("\\[\\d+ns\\] GC\\(\\d+\\) Pause.*");

    private final List<Safepoint> safepoints = new ArrayList<>();
    private final StallList stalls;
    private final Instant wallTime;
    private final long monotonicNs;
    private final long collections;

    /**
     * Safepoint pause, during which no Java code ran.
     *
     * @param name name of the operation.
     * @param startNs monotonic start time.
     * @param endNs monotonic end time.
     */
    private record Safepoint(String name, long startNs, long endNs) {}

    /**
     * @param stalls stalls of the run.
     * @param log lines of the JVM's safepoint and GC log.
     * @param wallTime time of day.
     * @param monotonicNs monotonic time at that time of day.
     */
    public PauseReport(StallList stalls, List<String> log, Instant wallTime, long monotonicNs) {
        this.stalls = stalls;
        this.wallTime = wallTime;
        this.monotonicNs = monotonicNs;
        collections = log.stream().filter(line -> COLLECTION.matcher(line).matches()).count();
        for (String line : log) {
            Matcher matcher = SAFEPOINT.matcher(line);
            if (matcher.find()) {
                long endNs = Long.parseLong(matcher.group(1));
                long startNs = endNs - Long.parseLong(matcher.group(3));
                safepoints.add(new Safepoint(matcher.group(2), startNs, endNs));
            }
        }
    }

    /** Returns the name of the safepoint that overlaps a stall, or an empty string. */
    String cause(Stall stall) {
        for (Safepoint safepoint : safepoints) {
            if (safepoint.startNs() <= stall.endNs() && safepoint.endNs() >= stall.startNs()) {
                return safepoint.name();
            }
        }
        return "";
    }

    /** Returns the time of day at which a stall began, in UTC with milliseconds. */
    String time(Stall stall) {
        return TIME.format(wallTime.minusNanos(monotonicNs - stall.startNs()));
    }

    /** Returns the numbers of stalls, safepoints and collections. */
    public Map<Figure, Double> figures() {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        figures.put(OUTLIERS, (double) stalls.messages());
        figures.put(STALLS, (double) stalls.stalls());
        figures.put(
                AT_SAFEPOINTS,
                (double) stalls.listed().stream().filter(one -> !cause(one).isEmpty()).count());
        figures.put(SAFEPOINTS, (double) safepoints.size());
        figures.put(COLLECTIONS, (double) collections);
        return figures;
    }

    /** Adds the longest stalls to a section, and all of them to its JSON. */
    public void addTo(Section section) {
        List<List<String>> rows =
                stalls.listed().stream()
                        .sorted(Comparator.comparingDouble(PauseReport::microseconds).reversed())
                        .limit(SHOWN)
                        .map(this::row)
                        .toList();
        long unlisted = stalls.stalls() - stalls.listed().size();
        section.show(
                note(rows.size(), stalls.stalls(), unlisted),
                new Table(List.of("began", "lasted", "late", "JVM"), rows));
        section.list("stalls", stalls.listed().stream().map(this::toMap).toList());
    }

    private static String note(int shown, long stalls, long unlisted) {
        if (stalls == 0) {
            return "no stalls";
        }
        if (stalls == 1) {
            return "the stall:";
        }
        String number = shown == 1 ? "" : shown + " ";
        String counted =
                unlisted == 0
                        ? ""
                        : String.format(Locale.ROOT, " (the last %,d are only counted)", unlisted);
        return shown == stalls
                ? "the " + number + "stalls, longest first:"
                : String.format(
                        Locale.ROOT, "the %slongest of %,d stalls%s:", number, stalls, counted);
    }

    private static double microseconds(Stall stall) {
        return (stall.endNs() - stall.startNs()) / NS_PER_US;
    }

    private List<String> row(Stall stall) {
        String cause = cause(stall);
        return List.of(
                time(stall),
                String.format(Locale.ROOT, "%,.1f us", microseconds(stall)),
                String.format(
                        Locale.ROOT,
                        stall.messages() == 1 ? "1 message" : "%,d messages",
                        stall.messages()),
                cause.isEmpty() ? "no safepoint" : "safepoint " + cause);
    }

    private Map<String, Object> toMap(Stall stall) {
        String cause = cause(stall);
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("time", time(stall));
        map.put("microseconds", microseconds(stall));
        map.put("messages", stall.messages());
        map.put("safepoint", cause.isEmpty() ? null : cause);
        return map;
    }
}
