// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.BusException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Report that was read from the JSON of a measuring command. */
public final class StoredReport {
    private final String name;
    private final Map<String, Object> map;

    /**
     * Figure of a contender, or its ratio to a peer.
     *
     * @param work number of the work.
     * @param contender name of the contender.
     * @param peer name of the peer; empty for the contender's own figure.
     * @param figure name of the figure.
     * @param better direction in which its values improve.
     */
    record Key(int work, String contender, String peer, String figure, String better) {
        String text() {
            return contender + (peer.isEmpty() ? "" : " / " + peer) + ", " + figure;
        }

        Key ofWork(int number) {
            return new Key(number, contender, peer, figure, better);
        }
    }

    private StoredReport(String name, Map<String, Object> map) {
        this.name = name;
        this.map = map;
    }

    /**
     * Parses a report.
     *
     * @param name name of the file, for messages.
     * @param json its text.
     * @throws BusException if the text is not such a report.
     */
    public static StoredReport parse(String name, String json) {
        Object value;
        try {
            value = JsonParser.parse(json);
        } catch (IllegalArgumentException ex) {
            throw wrong(name, "is not JSON: " + ex.getMessage(), ex);
        }
        if (!(value instanceof Map<?, ?>)) {
            throw wrong(name, "is not a report of verbus perf", null);
        }
        Map<String, Object> map = map(value);
        for (String key : Report.KEYS) {
            if (!map.containsKey(key)) {
                throw wrong(
                        name,
                        "was written by an older version of verbus perf, or is not a report: it"
                                + " lacks the key "
                                + key,
                        null);
            }
        }
        StoredReport report = new StoredReport(name, map);
        try {
            report.works();
            report.facts();
            report.keys().forEach(report::values);
        } catch (ClassCastException
                | NullPointerException
                | IndexOutOfBoundsException
                | IllegalArgumentException ex) {
            throw wrong(name, "is not a complete report of verbus perf", ex);
        }
        return report;
    }

    private static BusException wrong(String name, String why, Exception cause) {
        return new BusException(
                name + " " + why + "; give a file that a measuring command wrote with" + " --json",
                cause);
    }

    String name() {
        return name;
    }

    /** Returns the measured works. */
    List<Map<String, Object>> works() {
        return list("work").stream().map(StoredReport::map).toList();
    }

    /** Returns one line on the origin of the report. */
    String facts() {
        Map<String, Object> environment = map(map.get("environment"));
        return map.get("date")
                + ", "
                + Environment.release(environment)
                + ", "
                + Environment.machine(environment);
    }

    List<String> warnings() {
        return list("warnings").stream().map(Object::toString).toList();
    }

    /** Returns the compared figures and the ratios, in order. */
    List<Key> keys() {
        List<Key> keys = new ArrayList<>();
        for (Object entry : list("figures")) {
            Map<String, Object> figure = map(entry);
            Key key =
                    new Key(
                            ((Number) figure.get("work")).intValue(),
                            (String) figure.get("contender"),
                            (String) figure.getOrDefault("peer", ""),
                            (String) figure.get("figure"),
                            (String) figure.get("better"));
            if (!key.better().equals(Figure.Better.NEITHER.toString())) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** Returns a figure's values, one for each pair. */
    List<Double> values(Key key) {
        List<Double> values = new ArrayList<>();
        for (Object entry : list("pairs")) {
            Map<String, Object> pair = map(entry);
            if (((Number) pair.get("work")).intValue() == key.work()) {
                Map<String, Object> figures = map(pair.get("figures"));
                double value = value(figures, key.contender(), key.figure());
                values.add(
                        key.peer().isEmpty()
                                ? value
                                : value / value(figures, key.peer(), key.figure()));
            }
        }
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no pair has " + key);
        }
        return values;
    }

    private static double value(Map<String, Object> figures, String contender, String figure) {
        Object value = map(figures.get(contender)).get(figure);
        return value == null ? Double.NaN : ((Number) value).doubleValue();
    }

    private List<?> list(String key) {
        return (List<?>) map.get(key);
    }

    @SuppressWarnings("unchecked") // keys of parsed JSON are strings
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
