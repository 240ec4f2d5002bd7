// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.latency;

import java.util.Locale;

/** Formats durations for people. */
public final class DurationText {
    /** Factor below which two bounds are shown as one duration. */
    private static final double CLOSE = 1.25;

    private DurationText() {}

    /** Returns the text of a duration with the given lower and upper bounds in nanoseconds. */
    public static String between(long least, long most) {
        if (most <= least * CLOSE) {
            return of(most);
        }
        return least == 0 ? "<" + of(most) : of(least) + ".." + of(most);
    }

    /** Returns a duration in nanoseconds with three digits and a unit. */
    public static String of(long ns) {
        String[] units = {"ns", "us", "ms", "s"};
        double value = ns;
        int unit = 0;
        while (value >= 999.5 && unit < units.length - 1) {
            value /= 1000;
            unit++;
        }
        int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + decimals + "f%s", value, units[unit]);
    }
}
