// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.logbuffer.LogBuffers;

import java.util.ArrayList;
import java.util.List;

/**
 * Brings the pages of a log into memory, ahead of its first use, from the first term on. The
 * slices' thread, but for what others call.
 */
final class LogPopulation implements SlicedTask {
    private final LogBuffers log;

    /** Conductor's: what waits for the last page; null once that is in memory. */
    private List<Runnable> waiting = new ArrayList<>();

    // Guarded by this object, as the log may be unmapped by another thread.
    private boolean isStopped;
    private long reached;

    LogPopulation(LogBuffers log) {
        this.log = log;
    }

    @Override
    public synchronized boolean work() {
        if (!isStopped) {
            reached = log.touch(reached, LogCreation.SLICE);
        }
        return isStopped || reached == log.length();
    }

    /** Nothing touches the log any more once this returns. The thread that unmaps the log. */
    synchronized void stop() {
        isStopped = true;
    }

    /** Conductor. */
    @Override
    public void onDone(RuntimeException failure) {
        List<Runnable> all = waiting;
        waiting = null;
        all.forEach(Runnable::run);
        if (failure != null) {
            throw failure;
        }
    }

    /** Runs something when all pages are in memory, at once if they are. Conductor. */
    void whenDone(Runnable then) {
        if (waiting == null) {
            then.run();
        } else {
            waiting.add(then);
        }
    }
}
