// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits on conditions, each with a deadline. The interval between checks is a thousandth of the
 * time waited so far, at most a millisecond: a condition that does work itself is checked often,
 * and a distant one costs little.
 */
public final class Await {
    private static final int DEADLINE_SECONDS = 60;
    private static final int ASKED_AT_ONCE = 100;
    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private Await() {}

    /** Waits, with a deadline that even a slow machine meets. */
    public static void until(String what, BooleanSupplier condition) {
        until(what, DEADLINE_SECONDS, condition);
    }

    /** Waits at most the given number of seconds. */
    public static void until(String what, long seconds, BooleanSupplier condition) {
        until(() -> what, seconds, condition);
    }

    /**
     * Checks a condition that does the work itself, without pauses, for as long as {@link
     * #until(String, BooleanSupplier)}.
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

    /** Waits at most the given number of seconds; reports what was seen instead on a timeout. */
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
