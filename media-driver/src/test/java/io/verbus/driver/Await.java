// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits on conditions, each with a deadline. A condition is asked again after a thousandth of the
 * time for which it was awaited so far, a millisecond at most: so one that does the work itself is
 * asked often, and one that is far off costs little.
 */
public final class Await {
    private static final int DEADLINE_SECONDS = 60;
    private static final int ASKED_AT_ONCE = 100;
    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private Await() {}

    /** Waits, at most a time that even a slow machine needs not. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, DEADLINE_SECONDS, condition);
    }

    /** Waits so many seconds at most. */
    public static void until(String what, long seconds, BooleanSupplier condition) {
        until(() -> what, seconds, condition);
    }

    /**
     * Asks a condition that does the work itself, again and again without a pause, for as long as
     * {@link #until(String, BooleanSupplier)}.
     */
    public static void done(String what, BooleanSupplier condition) {
        until(
                what,
                () -> {
                    for (int i = 0; i < ASKED_AT_ONCE; i++) {
                        if (condition.getAsBoolean()) {
                            return true;
                        }
                        Thread.yield();
                    }
                    return false;
                });
    }

    /**
     * Waits so many seconds at most.
     *
     * @param what is awaited; asked when the time is over, to tell what was seen instead.
     */
    public static void until(Supplier<String> what, long seconds, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waitedNs = System.nanoTime() - startNs;
            if (waitedNs > TimeUnit.SECONDS.toNanos(seconds)) {
                throw new AssertionError(seconds + " s have passed without: " + what.get());
            }
            LockSupport.parkNanos(Math.min(waitedNs / 1000, MAX_PAUSE_NS));
        }
    }
}
