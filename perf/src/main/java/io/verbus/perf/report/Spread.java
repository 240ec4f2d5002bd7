// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What repeated measurements of one figure show.
 *
 * @param median of them; of an even number, the mean of the two in the middle.
 * @param min of them.
 * @param max of them.
 */
public record Spread(double median, double min, double max) {
    /**
     * Summarizes measurements.
     *
     * @param values at least one.
     */
    public static Spread of(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int last = sorted.length - 1;
        return new Spread(
                (sorted[last / 2] + sorted[sorted.length / 2]) / 2, sorted[0], sorted[last]);
    }

    /** As JSON writes it. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("median", median);
        map.put("min", min);
        map.put("max", max);
        return map;
    }
}
