// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import java.util.ArrayDeque;

/**
 * Touches the pages of newly mapped logs, so that the first lap of a log causes few page faults.
 * The first part is touched immediately, and the rest in slices, one per duty cycle, because a long
 * log takes seconds. Used by the client conductor's thread only.
 */
public final class LogTouching {
    private static final int AT_ONCE = 1024 * 1024;
    private static final int SLICE = 64 * 1024;

    private static final class Touched {
        private final LogBuffers log;
        private long reached;

        private Touched(LogBuffers log) {
            this.log = log;
        }
    }

    private final ArrayDeque<Touched> all = new ArrayDeque<>();

    /** Creates an instance without logs. */
    public LogTouching() {}

    /** Adds a newly mapped log, unless only part of it is in memory. */
    public void add(LogBuffers log) {
        Touched touched = new Touched(log);
        boolean isPartial = log.metadata().getInt(LogLayout.PARTIAL) == 1;
        if (!isPartial && !isDone(touched, AT_ONCE)) {
            all.addLast(touched);
        }
    }

    /** Removes a log that is about to be unmapped. */
    public void remove(LogBuffers log) {
        all.removeIf(touched -> touched.log == log);
    }

    /** Touches one slice of the first log; returns the work done. */
    public int work() {
        Touched first = all.pollFirst();
        if (first == null) {
            return 0;
        }
        if (!isDone(first, SLICE)) { // if this throws, the application incurs the page faults
            all.addFirst(first);
        }
        return 1;
    }

    private static boolean isDone(Touched touched, int bytes) {
        touched.reached = touched.log.touch(touched.reached, bytes);
        return touched.reached == touched.log.length();
    }
}
