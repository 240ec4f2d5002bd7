// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.Locale;

/**
 * Quantity that a measurement yields.
 *
 * @param name display name, also in JSON.
 * @param unit unit of its values.
 * @param better direction in which values improve.
 */
public record Figure(String name, String unit, Better better) {
    /** Unit of latencies. */
    static final String MICROSECONDS = "us";

    private static final int WHOLE = 1000;
    private static final double SMALL = 0.1;

    /** Direction in which the values of a figure improve. */
    public enum Better {
        /** Less is better: latencies and costs. */
        LOWER,
        /** More is better: rates. */
        HIGHER,
        /** The figure describes the run, and is not compared. */
        NEITHER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns whether contenders are compared by this figure. */
    boolean isCompared() {
        return better != Better.NEITHER;
    }

    /** Returns the name with the unit, once if they are the same. */
    String label() {
        return name.startsWith(unit) ? name : name + ", " + unit;
    }

    /** Returns a value with its unit. */
    String text(double value) {
        boolean isOne = value == 1 && unit.length() > MICROSECONDS.length() && unit.endsWith("s");
        boolean isCount = !isCompared() && !unit.contains("/");
        return format(value)
                + " "
                + (isOne && isCount ? unit.substring(0, unit.length() - 1) : unit);
    }

    /** Returns a value without its unit; counts have no decimals. */
    String format(double value) {
        return !isCompared() && !unit.equals(MICROSECONDS) && value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value)
                : number(value);
    }

    /** Formats a value for people: with three decimals, or three digits if it is small. */
    static String number(double value) {
        double size = Math.abs(value);
        if (size >= WHOLE || value == 0) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size < SMALL ? "%.3g" : "%,.3f", value);
    }
}
