// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits on conditions, each with a deadline. */
final class Await {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private Await() {}

    /** Waits, at most a time that even a slow machine needs not. */
    static void until(String what, BooleanSupplier condition) {
        until(what, 60, condition);
    }

    static void until(String what, long seconds, BooleanSupplier condition) {
        until(() -> what, seconds, condition);
    }

    /**
     * @param what is awaited; asked when the time is over, to tell what was seen instead.
     */
    static void until(Supplier<String> what, long seconds, BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError(seconds + " s have passed without: " + what.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
