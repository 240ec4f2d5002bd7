// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import java.util.function.LongPredicate;

/** The other end of round trips: a thread that spins and sends back what comes. */
final class Reflection implements AutoCloseable {
    /** Some seconds of spinning. */
    private static final long MAX_SPINS = 100_000_000;

    private final Thread thread;
    private volatile boolean isRunning = true;

    /**
     * Starts it.
     *
     * @param step sends back what has come, the message of the number given, from 1; false if
     *     nothing has. Called by the thread.
     */
    Reflection(LongPredicate step) {
        thread = Thread.ofPlatform().daemon().name("reflector").start(() -> run(step));
    }

    private void run(LongPredicate step) {
        long number = 1;
        while (isRunning) {
            if (step.test(number)) {
                number++;
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * A turn of the thread that waits for an echo.
     *
     * @param spins turns before.
     * @return turns so far.
     * @throws IllegalStateException if it has waited for seconds.
     */
    static long spin(long spins) {
        if (spins > MAX_SPINS) {
            throw new IllegalStateException("no echo has come: the reflecting thread has failed");
        }
        Thread.onSpinWait();
        return spins + 1;
    }

    @Override
    public void close() {
        isRunning = false;
        try {
            thread.join();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
