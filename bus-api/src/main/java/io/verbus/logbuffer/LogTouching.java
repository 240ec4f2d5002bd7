// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import java.util.ArrayDeque;

/**
 * Brings the pages of logs that were just mapped into this process, so that the first way round a
 * log meets few page faults: the first part at once, the rest a piece a duty cycle, as a long log
 * takes seconds. One thread, the client conductor's.
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

    /** Nothing to bring in yet. */
    public LogTouching() {}

    /** A log was mapped: one that is not all in memory stays so. */
    public void add(LogBuffers log) {
        Touched touched = new Touched(log);
        boolean isPartial = log.metadata().getInt(LogLayout.PARTIAL) == 1;
        if (!isPartial && !isDone(touched, AT_ONCE)) {
            all.addLast(touched);
        }
    }

    /** A log will be unmapped. */
    public void remove(LogBuffers log) {
        all.removeIf(touched -> touched.log == log);
    }

    /** One piece of the first log. Returns the amount of work done. */
    public int work() {
        Touched first = all.pollFirst();
        if (first == null) {
            return 0;
        }
        if (!isDone(first, SLICE)) { // one that fails is left to its users
            all.addFirst(first);
        }
        return 1;
    }

    private static boolean isDone(Touched touched, int bytes) {
        touched.reached = touched.log.touch(touched.reached, bytes);
        return touched.reached == touched.log.length();
    }
}
