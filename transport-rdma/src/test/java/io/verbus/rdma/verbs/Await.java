// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits on a condition while doing the work that leads to it. */
final class Await {
    private static final long DEADLINE_S = 90;
    private static final int SPINS = 1_000;
    private static final long PARK_NS = 50_000;

    private Await() {}

    static void until(String what, BooleanSupplier condition, Runnable work) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        int spins = 0;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError(DEADLINE_S + " s have passed without: " + what);
            }
            work.run();
            // The awaited event may need this processor: a starting process, or a device emulated
            // by the kernel.
            if (++spins > SPINS) {
                LockSupport.parkNanos(PARK_NS);
            }
        }
    }
}
