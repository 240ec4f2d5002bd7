// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import org.agrona.concurrent.status.CountersReader;

import java.util.List;

/**
 * Counters that list the Aeron options that a running driver was given but that have no effect on
 * it. The labels contain the names, and the values their number. There are as many counters as the
 * names need, and none if there are no names.
 */
public final class UnusedOptions {
    /** Number in their keys. */
    public static final int NUMBER = 900;

    private static final String LABEL = "Aeron options without effect:";

    private UnusedOptions() {}

    /**
     * Allocates the counters. Used by the conductor's thread.
     *
     * @throws io.verbus.BusException if there is none left.
     */
    public static void show(List<String> names, DriverCounters counters) {
        StringBuilder label = new StringBuilder(LABEL);
        int count = 0;
        for (String name : names) {
            if (count > 0 && label.length() + 1 + name.length() > CountersReader.MAX_LABEL_LENGTH) {
                allocate(label, count, counters);
                label.setLength(LABEL.length());
                count = 0;
            }
            label.append(' ').append(name);
            count++;
        }
        if (count > 0) {
            allocate(label, count, counters);
        }
    }

    private static void allocate(StringBuilder label, int count, DriverCounters counters) {
        counters.ofDriver(NUMBER, label.toString()).setRelease(count);
    }
}
