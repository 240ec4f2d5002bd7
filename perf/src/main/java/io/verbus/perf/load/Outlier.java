// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * A round trip that took longer than the threshold.
 *
 * @param dueNs monotonic time at which the message was due.
 * @param latencyNs time from the due time until the echo arrived.
 */
public record Outlier(long dueNs, long latencyNs) {
    /** Parses the two numbers in a worker's output. */
    public static Outlier parse(String text) {
        int space = text.indexOf(' ');
        return new Outlier(
                Long.parseLong(text.substring(0, space)),
                Long.parseLong(text.substring(space + 1)));
    }

    /** Returns the monotonic time at which the echo arrived. */
    public long endNs() {
        return dueNs + latencyNs;
    }
}
