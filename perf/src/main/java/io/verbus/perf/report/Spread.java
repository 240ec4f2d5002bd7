// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Spread of repeated measurements of one figure.
 *
 * @param median median; for an even number of values, the mean of the middle two.
 * @param min smallest value.
 * @param max largest value.
 */
public record Spread(double median, double min, double max) {
    /**
     * Summarizes values.
     *
     * @param values one value or more.
     */
    public static Spread of(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int last = sorted.length - 1;
        return new Spread(
                (sorted[last / 2] + sorted[sorted.length / 2]) / 2, sorted[0], sorted[last]);
    }

    /** Returns the spread as text: median (min to max). */
    String text() {
        return Figure.number(median)
                + " ("
                + Figure.number(min)
                + " to "
                + Figure.number(max)
                + ")";
    }

    /** Returns the spread as a map for JSON. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("median", median);
        map.put("min", min);
        map.put("max", max);
        return map;
    }
}
