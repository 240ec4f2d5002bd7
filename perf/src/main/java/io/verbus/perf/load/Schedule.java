// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * When each message of a run at a fixed rate has to be sent. The times depend on nothing that
 * happens in the run, so a stall makes every message late that was due in it.
 *
 * @param start in nanoseconds, when the first is due.
 * @param rate in messages a second, at least 1.
 * @param burst messages due at the same time, at least 1.
 */
public record Schedule(long start, long rate, int burst) {
    private static final long SECOND = 1_000_000_000L;

    /** Nanoseconds at which a message is due, by its number from 0. */
    public long timeOf(long number) {
        number -= number % burst;
        return start + number / rate * SECOND + number % rate * SECOND / rate;
    }
}
