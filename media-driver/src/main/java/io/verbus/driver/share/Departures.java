// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Releases the resources of departed clients in slices, so that a client with thousands of streams
 * does not delay the others. Used by the conductor's thread.
 */
public final class Departures {
    /** Maximum duration of a slice. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();
    private final BooleanSupplier mayGo;

    /**
     * @param mayGo whether a step may run now; false while clients cannot keep up with the events.
     */
    public Departures(BooleanSupplier mayGo) {
        this.mayGo = mayGo;
    }

    /** Adds a step after those for clients that departed earlier. */
    public void add(Runnable step) {
        steps.addLast(step);
    }

    /**
     * Runs steps until a slice is over.
     *
     * @return the number of steps run.
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
