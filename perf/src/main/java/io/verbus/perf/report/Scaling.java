// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.Locale;

/**
 * Adaptation of a requested rate to the machine.
 *
 * @param asked requested messages per second.
 * @param sustained round trips per second that the machine sustains without pauses.
 * @param rate messages per second to measure.
 */
public record Scaling(long asked, double sustained, long rate) {
    private static final double PERCENT = 100;

    /**
     * Limits a rate to a share of what the machine sustains.
     *
     * @param asked requested messages per second.
     * @param sustained round trips per second that the machine sustains.
     * @param percent share in percent.
     */
    public static Scaling of(long asked, double sustained, int percent) {
        long highest = Math.max(1, (long) (sustained * percent / PERCENT));
        return new Scaling(asked, sustained, Math.min(asked, highest));
    }

    /** Returns one sentence on the adaptation. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "this machine sustains %,.0f/s at this length, so the rate of %,d/s %s",
                sustained,
                asked,
                rate == asked
                        ? "is kept"
                        : String.format(Locale.ROOT, "was lowered to %,d/s", rate));
    }
}
