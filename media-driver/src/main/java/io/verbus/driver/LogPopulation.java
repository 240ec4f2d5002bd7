// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.logbuffer.LogBuffers;

import java.util.ArrayList;
import java.util.List;

/**
 * Brings the rest of a log's pages into memory, ahead of its first use, in order. The slices'
 * thread, but for what others call.
 */
final class LogPopulation implements SlicedTask {
    private final LogBuffers log;
    private final Object owner;

    /** Conductor's: what waits for the last page; null once that is in memory. */
    private List<Runnable> waiting;

    // Guarded by this object, as the log may be unmapped by another thread.
    private boolean isStopped;
    private long reached;

    /**
     * @param reached first byte of the log that is not in memory yet.
     * @param owner whose turn it is when pages are brought in.
     */
    LogPopulation(LogBuffers log, long reached, Object owner) {
        this.log = log;
        this.reached = reached;
        waiting = reached == log.length() ? null : new ArrayList<>();
        this.owner = owner;
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

    /** Conductor. The second time, where somebody has waited, there is nothing left to do. */
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
