// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.ArrayList;
import java.util.List;

/**
 * The stalls that a worker reported. All stalls are counted, but the worker lists only the first.
 */
public final class StallList {
    private final List<Stall> listed = new ArrayList<>();
    private long stalls;
    private long messages;

    /** Adds a stall. */
    public void add(Stall stall) {
        listed.add(stall);
        stalls++;
        messages += stall.messages();
    }

    /** Parses and adds a worker's line about stalls beyond its capacity: stalls and messages. */
    public void addUnlisted(String line) {
        String[] numbers = line.split(" ");
        stalls += Long.parseLong(numbers[0]);
        messages += Long.parseLong(numbers[1]);
    }

    /** Returns the listed stalls, in order. */
    public List<Stall> listed() {
        return listed;
    }

    /** Returns the number of all stalls. */
    public long stalls() {
        return stalls;
    }

    /** Returns the number of messages in all stalls. */
    public long messages() {
        return messages;
    }
}
