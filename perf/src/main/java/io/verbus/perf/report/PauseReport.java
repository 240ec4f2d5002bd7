// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.load.Outlier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares the stalls of a run, each of which makes every message late that is due during it, with
 * the JVM's safepoints.
 */
public final class PauseReport {
    private static final int SHOWN = 10;
    private static final double NS_PER_US = 1000;

    /** Line of {@code -Xlog:safepoint} with the decoration {@code timenanos}. */
    private static final Pattern SAFEPOINT =
            Pattern.compile("\\[(\\d+)ns\\].*Safepoint \"([^\"]+)\".*Total: +(\\d+) ns");

    private static final Pattern COLLECTION = Pattern.compile("\\[\\d+ns\\] GC\\(\\d+\\) Pause.*");

    private final List<Safepoint> safepoints = new ArrayList<>();
    private final List<Stall> stalls = new ArrayList<>();
    private final long collections;
    private final int outliers;

    /**
     * Safepoint pause, during which no Java code ran.
     *
     * @param name name of the operation.
     * @param startNs monotonic start time.
     * @param endNs monotonic end time.
     */
    record Safepoint(String name, long startNs, long endNs) {}

    /**
     * Group of overlapping outliers.
     *
     * @param startNs time at which the first message was due.
     * @param endNs time of the last echo.
     * @param outliers number of outliers.
     * @param cause name of the safepoint that overlaps the stall, or empty.
     */
    record Stall(long startNs, long endNs, int outliers, String cause) {
        double microseconds() {
            return (endNs - startNs) / NS_PER_US;
        }
    }

    /**
     * @param outliers outliers of the run.
     * @param log lines of the JVM's safepoint and GC log.
     */
    public PauseReport(List<Outlier> outliers, List<String> log) {
        this.outliers = outliers.size();
        collections = log.stream().filter(line -> COLLECTION.matcher(line).matches()).count();
        for (String line : log) {
            Matcher matcher = SAFEPOINT.matcher(line);
            if (matcher.find()) {
                long endNs = Long.parseLong(matcher.group(1));
                long startNs = endNs - Long.parseLong(matcher.group(3));
                safepoints.add(new Safepoint(matcher.group(2), startNs, endNs));
            }
        }
        merge(outliers);
    }

    private void merge(List<Outlier> outliers) {
        long startNs = 0;
        long endNs = 0;
        int count = 0;
        for (Outlier outlier :
                outliers.stream().sorted(Comparator.comparingLong(Outlier::dueNs)).toList()) {
            if (count > 0 && outlier.dueNs() - endNs > 0) {
                stalls.add(new Stall(startNs, endNs, count, cause(startNs, endNs)));
                count = 0;
            }
            if (count == 0) {
                startNs = outlier.dueNs();
                endNs = outlier.endNs();
            }
            endNs = Math.max(endNs, outlier.endNs());
            count++;
        }
        if (count > 0) {
            stalls.add(new Stall(startNs, endNs, count, cause(startNs, endNs)));
        }
    }

    private String cause(long startNs, long endNs) {
        for (Safepoint safepoint : safepoints) {
            if (safepoint.startNs() <= endNs && safepoint.endNs() >= startNs) {
                return safepoint.name();
            }
        }
        return "";
    }

    List<Stall> stalls() {
        return stalls;
    }

    /** Returns a table of the longest stalls. */
    public String table() {
        StringBuilder text = new StringBuilder();
        long byJvm = stalls.stream().filter(stall -> !stall.cause().isEmpty()).count();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%,d outliers in %,d stalls, of which %,d overlap a safepoint; %,d"
                                + " safepoints and %,d collections in total%n",
                        outliers,
                        stalls.size(),
                        byJvm,
                        safepoints.size(),
                        collections));
        stalls.stream()
                .sorted(Comparator.comparingDouble(Stall::microseconds).reversed())
                .limit(SHOWN)
                .forEach(
                        stall ->
                                text.append(
                                        String.format(
                                                Locale.ROOT,
                                                "%,12.1f us, %,d messages, %s%n",
                                                stall.microseconds(),
                                                stall.outliers(),
                                                stall.cause().isEmpty()
                                                        ? "no safepoint"
                                                        : "safepoint " + stall.cause())));
        return text.toString();
    }

    /** Returns all stalls as JSON. */
    public String json(RttReport run) {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("outliers", outliers);
        report.put("safepoints", safepoints.size());
        report.put("collections", collections);
        List<Map<String, Object>> list = new ArrayList<>();
        for (Stall stall : stalls) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("microseconds", stall.microseconds());
            map.put("outliers", stall.outliers());
            map.put("safepoint", stall.cause().isEmpty() ? null : stall.cause());
            list.add(map);
        }
        report.put("stalls", list);
        report.put("run", run.environment());
        return Json.write(report);
    }
}
