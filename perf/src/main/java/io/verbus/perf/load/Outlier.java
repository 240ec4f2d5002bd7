// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * A round trip that took long.
 *
 * @param dueNs monotonic time at which it was due.
 * @param latencyNs from then to its echo.
 */
public record Outlier(long dueNs, long latencyNs) {
    /** Reads what a worker says: both numbers. */
    public static Outlier parse(String text) {
        int space = text.indexOf(' ');
        return new Outlier(
                Long.parseLong(text.substring(0, space)),
                Long.parseLong(text.substring(space + 1)));
    }

    /** Monotonic time of its echo. */
    public long endNs() {
        return dueNs + latencyNs;
    }
}
