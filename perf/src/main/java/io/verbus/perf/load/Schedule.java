// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Times at which to send the messages of a run at a fixed rate. They do not depend on the run's
 * progress, so a stall makes every message late that was due during the stall.
 *
 * @param start time in nanoseconds at which the first message is due.
 * @param rate messages per second, at least 1.
 * @param burst number of messages due at the same time, at least 1.
 */
public record Schedule(long start, long rate, int burst) {
    private static final long SECOND = 1_000_000_000L;

    /**
     * Returns the time in nanoseconds at which a message is due, given its number, counted from 0.
     */
    public long timeOf(long number) {
        number -= number % burst;
        return start + number / rate * SECOND + number % rate * SECOND / rate;
    }
}
