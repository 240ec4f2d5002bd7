// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.driver.background.SlicedTask;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.memory.LogRoom;

import java.util.ArrayList;
import java.util.List;

/**
 * Brings the pages of a log into memory, ahead of its first use, from the first term on. The
 * slices' thread, but for what others call.
 */
final class LogPopulation implements SlicedTask {
    private final LogBuffers log;
    private final Object owner;

    /** Conductor's: what waits for the last page; null once that is in memory. */
    private List<Runnable> waiting = new ArrayList<>();

    // Guarded by this object, as the log may be unmapped by another thread.
    private boolean isStopped;
    private long reached;

    /**
     * @param owner whose turn it is when pages are brought in.
     */
    LogPopulation(LogBuffers log, Object owner) {
        this.log = log;
        this.owner = owner;
        reached = log.room() == LogRoom.WHOLE ? 0 : log.length(); // what is in use is in memory
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

    /** Nothing touches the log any more once this returns. The thread that unmaps the log. */
    synchronized void stop() {
        isStopped = true;
    }

    /** Conductor. The second time, where a registration has waited, nothing is left to do. */
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

    /** Whether all pages are in memory. Conductor. */
    boolean isDone() {
        return waiting == null;
    }

    /** Runs something when all pages are in memory, which they are not yet. Conductor. */
    void whenDone(Runnable then) {
        waiting.add(then);
    }
}
