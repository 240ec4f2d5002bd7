// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import java.util.Locale;

/**
 * Counters of the longest cycle of each agent in the last 10 to 20 seconds, in nanoseconds. Each is
 * written by its agent.
 */
public enum RecentCycle {
    CONDUCTOR(902),
    SENDER(903),
    RECEIVER(904);

    private final int number;

    RecentCycle(int number) {
        this.number = number;
    }

    /** The number in the counter's key: the same in each release. */
    public int number() {
        return number;
    }

    /** What the counter says, for people. */
    public String label() {
        return name().toLowerCase(Locale.ROOT) + " longest cycle of the last 10 to 20 s in ns";
    }
}
