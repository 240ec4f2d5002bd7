// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import java.util.Locale;

/**
 * Counters of the longest cycle of each agent in the last 10 to 20 seconds, in nanoseconds. Each
 * agent writes its own.
 */
public enum RecentCycle {
    CONDUCTOR(902),
    SENDER(903),
    RECEIVER(904);

    private final int number;

    RecentCycle(int number) {
        this.number = number;
    }

    /** Returns the number in the counter's key, which does not change between releases. */
    public int number() {
        return number;
    }

    /** Returns the label of the counter. */
    public String label() {
        return name().toLowerCase(Locale.ROOT) + " longest cycle of the last 10 to 20 s in ns";
    }
}
