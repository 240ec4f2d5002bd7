// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits on a condition while doing the work that leads to it. */
final class Await {
    private static final long DEADLINE_S = 30;

    private Await() {}

    static void until(String what, BooleanSupplier condition, Runnable work) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError(DEADLINE_S + " s have passed without: " + what);
            }
            work.run();
            Thread.onSpinWait();
        }
    }
}
