// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Releases what clients had that have gone, in slices: one that had thousands of streams delays no
 * other. Conductor's thread.
 */
public final class Departures {
    /** Time of a slice. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();
    private final BooleanSupplier mayGo;

    /**
     * @param mayGo whether a step may be taken now: not while clients cannot follow what they are
     *     told.
     */
    public Departures(BooleanSupplier mayGo) {
        this.mayGo = mayGo;
    }

    /** Adds a step, behind those of clients that went before. */
    public void add(Runnable step) {
        steps.addLast(step);
    }

    /**
     * Takes steps for the time of a slice.
     *
     * @return how many.
     */
    public int work() {
        int count = 0;
        long startNs = System.nanoTime();
        while (!steps.isEmpty()
                && mayGo.getAsBoolean()
                && (count == 0 || System.nanoTime() - startNs < SLICE_NS)) {
            steps.removeFirst().run();
            count++;
        }
        return count;
    }
}
