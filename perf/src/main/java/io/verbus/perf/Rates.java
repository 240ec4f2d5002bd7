// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Value of {@code --rate}: one rate for all message lengths, one for each, or several for one
 * length.
 */
final class Rates {
    /** The highest rate, in messages a second: more than any machine sustains. */
    static final long HIGHEST = 100_000_000;

    private static final String FIELD = "field";
    private static final Pattern RATE = Pattern.compile("(\\d{1,9})([KMkm]?)");

    /**
     * Published rate, in messages per second, by message length in bytes, of Aeron's benchmarks.
     *
     * @see <a
     *     href="https://github.com/aeron-io/benchmarks/blob/master/scripts/remote-benchmarks-runner">the
     *     defaults of Aeron's benchmarks</a>
     */
    private static final Map<Integer, Long> PUBLISHED =
            new TreeMap<>(Map.of(32, 501_000L, 288, 301_000L, 1344, 101_000L));

    private final boolean isField;
    private final List<Long> rates;

    private Rates(boolean isField, List<Long> rates) {
        this.isField = isField;
        this.rates = rates;
    }

    /**
     * Parses the value of the option.
     *
     * @throws IllegalArgumentException if the value is malformed or out of range.
     */
    static Rates parse(String text) {
        if (text.equals(FIELD)) {
            return new Rates(true, List.of());
        }
        if (text.equals("max")) {
            return new Rates(false, List.of(Load.MAX));
        }
        List<Long> rates = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (part.equals(FIELD) || part.equals("max")) {
                throw new IllegalArgumentException(
                        "--rate takes "
                                + part
                                + " only alone, not in a list such as '"
                                + text
                                + "': give numbers, or measure "
                                + part
                                + " separately");
            }
            rates.add(number(part));
        }
        return new Rates(false, rates);
    }

    private static long number(String text) {
        Matcher matcher = RATE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "--rate takes messages per second, such as 501000 or 501K (or several,"
                            + " separated by commas), field, or max, not '"
                            + text
                            + "'");
        }
        long factor =
                switch (matcher.group(2)) {
                    case "K", "k" -> 1_000;
                    case "M", "m" -> 1_000_000;
                    default -> 1;
                };
        long rate = Long.parseLong(matcher.group(1)) * factor;
        if (rate < 1 || rate > HIGHEST) {
            throw new IllegalArgumentException(
                    "--rate takes a number from 1 to " + HIGHEST + ", not " + rate);
        }
        return rate;
    }

    /** Returns the message lengths to measure if the user gives none. */
    List<Integer> lengths(int ifNotField) {
        return isField ? List.copyOf(PUBLISHED.keySet()) : List.of(ifNotField);
    }

    /** Returns the number of measurements: one for each length, or each rate of one length. */
    int count(List<Integer> lengths) {
        return lengths.size() == 1 ? Math.max(1, rates.size()) : lengths.size();
    }

    /**
     * Returns the rate of a measurement, or {@link Load#MAX}.
     *
     * @param lengths all measured lengths.
     * @param index number of the measurement, from 0.
     * @throws IllegalArgumentException if there is no rate for the length.
     */
    long of(List<Integer> lengths, int index) {
        if (isField) {
            Long rate = PUBLISHED.get(lengths.get(index));
            if (rate == null) {
                throw new IllegalArgumentException(
                        "--rate field is defined for the lengths "
                                + PUBLISHED.keySet()
                                + ", not "
                                + lengths.get(index)
                                + ": give a number");
            }
            return rate;
        }
        if (rates.size() == 1) {
            return rates.getFirst();
        }
        if (lengths.size() != 1 && rates.size() != lengths.size()) {
            throw new IllegalArgumentException(
                    "--rate takes one rate, one for each --length, or several for one --length,"
                            + " not "
                            + rates.size()
                            + " rates for "
                            + lengths.size()
                            + " lengths");
        }
        return rates.get(index);
    }
}
