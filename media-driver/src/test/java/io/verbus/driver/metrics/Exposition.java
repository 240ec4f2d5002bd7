// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** A strict parser of Prometheus' text format: any deviation is a failure. */
public final class Exposition {
    private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
    private static final String LABEL =
            "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\"";
    private static final Pattern SERIES =
            Pattern.compile(
                    "(?<name>"
                            + NAME
                            + ")(?:\\{"
                            + LABEL
                            + "(?:,"
                            + LABEL
                            + ")*})?"
                            + " (?<value>-?[0-9]+(?:\\.[0-9]+)?)");

    private final Map<String, String> values = new LinkedHashMap<>();

    /** Reads a text. */
    public Exposition(String text) {
        assertTrue(text.endsWith("\n"), "the last line must end");
        Set<String> names = new HashSet<>();
        String current = null;
        boolean isHistogram = false;
        for (String line : text.split("\n")) {
            if (line.startsWith("# HELP ")) {
                current = line.split(" ")[2];
                assertTrue(names.add(current), () -> "again: " + line);
            } else if (line.startsWith("# TYPE ")) {
                assertTrue(line.matches("# TYPE " + current + " (counter|gauge|histogram)"), line);
                isHistogram = line.endsWith(" histogram");
            } else {
                var series = SERIES.matcher(line);
                assertTrue(series.matches(), line);
                String name = series.group("name");
                String suffix = isHistogram ? "_(bucket|sum|count)" : "";
                assertTrue(name.matches(current + suffix), line);
                String id = line.substring(0, line.lastIndexOf(' '));
                assertFalse(values.containsKey(id), () -> "again: " + line);
                values.put(id, series.group("value"));
            }
        }
    }

    /** Value of a series, by its name and labels as they are in the text; null if there is none. */
    public String value(String series) {
        return values.get(series);
    }

    /** The number of series whose name and labels a pattern matches. */
    public long count(String pattern) {
        return values.keySet().stream().filter(id -> id.matches(pattern)).count();
    }

    /** Sum of the series whose name and labels a pattern matches. */
    public double sum(String pattern) {
        return values.entrySet().stream()
                .filter(entry -> entry.getKey().matches(pattern))
                .mapToDouble(entry -> Double.parseDouble(entry.getValue()))
                .sum();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
