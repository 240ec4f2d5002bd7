// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.driver.background.SlicedTask;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.memory.LogRoom;

import java.util.ArrayList;
import java.util.List;

/**
 * Faults a log's pages in before their first use, beginning with the first term. Used by the slice
 * thread except where noted.
 */
final class LogPopulation implements SlicedTask {
    private final LogBuffers log;
    private final Object owner;

    /** Calls that wait until all pages are in memory; null from then on. Used by the conductor. */
    private List<Runnable> waiting = new ArrayList<>();

    // Guarded by this object, because another thread may unmap the log.
    private boolean isStopped;
    private long reached;

    /**
     * @param owner owner in whose turn the pages are faulted in.
     */
    LogPopulation(LogBuffers log, Object owner) {
        this.log = log;
        this.owner = owner;
        reached =
                log.room() == LogRoom.WHOLE ? 0 : log.length(); // pages already used are in memory
    }

    Object owner() {
        return owner;
    }

    @Override
    public synchronized boolean work() {
        if (!isStopped) {
            reached = log.touch(reached, LogCreation.SLICE);
        }
        return isStopped || reached == log.length();
    }

    /**
     * Stops the population. The log is not accessed after this method returns. Called by the thread
     * that unmaps the log.
     */
    synchronized void stop() {
        isStopped = true;
    }

    /**
     * Called by the conductor; the second time, after a registration has waited, it has no effect.
     */
    @Override
    public void onDone(RuntimeException failure) {
        if (waiting == null) {
            return;
        }
        List<Runnable> all = waiting;
        waiting = null;
        all.forEach(Runnable::run);
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns whether all pages are in memory. Called by the conductor. */
    boolean isDone() {
        return waiting == null;
    }

    /**
     * Runs an action once all pages are in memory. Must not be called after that. Called by the
     * conductor.
     */
    void whenDone(Runnable then) {
        waiting.add(then);
    }
}
