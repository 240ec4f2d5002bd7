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
 * Stalls of a run, each of which makes every message late that is due in it, beside the times at
 * which the JVM stood at a safepoint.
 */
public final class PauseReport {
    private static final int SHOWN = 10;
    private static final double NS_PER_US = 1000;

    /** A line of {@code -Xlog:safepoint} with the decoration {@code timenanos}. */
    private static final Pattern SAFEPOINT =
            Pattern.compile("\\[(\\d+)ns\\].*Safepoint \"([^\"]+)\".*Total: +(\\d+) ns");

    private static final Pattern COLLECTION = Pattern.compile("\\[\\d+ns\\] GC\\(\\d+\\) Pause.*");

    private final List<Safepoint> safepoints = new ArrayList<>();
    private final List<Stall> stalls = new ArrayList<>();
    private final long collections;
    private final int outliers;

    /**
     * A time at which no Java code ran.
     *
     * @param name of the operation.
     * @param startNs monotonic time.
     * @param endNs monotonic time.
     */
    record Safepoint(String name, long startNs, long endNs) {}

    /**
     * Outliers that overlap.
     *
     * @param startNs when the first of them was due.
     * @param endNs when the last of them ended.
     * @param outliers how many.
     * @param cause the safepoint in it, or empty.
     */
    record Stall(long startNs, long endNs, int outliers, String cause) {
        double microseconds() {
            return (endNs - startNs) / NS_PER_US;
        }
    }

    /**
     * @param outliers of the run.
     * @param log of the JVM's safepoints and collections.
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

    /** The longest stalls, for people. */
    public String table() {
        StringBuilder text = new StringBuilder();
        long byJvm = stalls.stream().filter(stall -> !stall.cause().isEmpty()).count();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%,d outliers in %,d stalls, of which %,d meet a safepoint; %,d safepoints"
                                + " and %,d collections in all%n",
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

    /** Everything, for programs. */
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
