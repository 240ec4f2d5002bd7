// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import java.util.Locale;

/**
 * How a rate was fitted to the machine.
 *
 * @param asked messages a second that were asked for.
 * @param sustained round trips a second that the machine does, when there is no pause between them.
 * @param rate messages a second that were measured instead.
 */
public record Scaling(long asked, double sustained, long rate) {
    private static final double PERCENT = 100;

    /**
     * Lowers a rate to a share of what the machine does, unless it is below that.
     *
     * @param asked messages a second.
     * @param sustained round trips a second that the machine does.
     * @param percent the share.
     */
    public static Scaling of(long asked, double sustained, int percent) {
        long highest = Math.max(1, (long) (sustained * percent / PERCENT));
        return new Scaling(asked, sustained, Math.min(asked, highest));
    }

    /** One sentence. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "this machine sustains %,.0f/s of that length, so the rate of %,d/s %s",
                sustained,
                asked,
                rate == asked
                        ? "is kept"
                        : String.format(Locale.ROOT, "was lowered to %,d/s", rate));
    }
}
