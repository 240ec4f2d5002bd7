// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.junit.jupiter.api.Assertions;

import java.util.function.BooleanSupplier;

/** Waits on conditions, for a while. */
final class Await {
    private static final long DEADLINE_NS = 20_000_000_000L;

    private Await() {}

    /** Fails if the condition does not come true in time. */
    static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > DEADLINE_NS) {
                Assertions.fail("not within " + DEADLINE_NS / 1_000_000_000L + " s: " + what);
            }
            Thread.onSpinWait();
            Thread.yield();
        }
    }
}
