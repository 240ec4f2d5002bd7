// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import java.util.function.LongPredicate;

/** Thread that spins until a message arrives, and sends it back. */
final class Reflection implements AutoCloseable {
    /** Number of spins after which the wait fails, which takes a few seconds. */
    private static final long MAX_SPINS = 100_000_000;

    private final Thread thread;
    private volatile boolean isRunning = true;

    /**
     * Starts the thread.
     *
     * @param step called by the thread with the number, from 1, of the next message; sends that
     *     message back, or returns false if it has not arrived.
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
     * Spins once while waiting for an echo.
     *
     * @param spins number of earlier spins. @return number of spins so far.
     * @throws IllegalStateException after a few seconds.
     */
    static long spin(long spins) {
        if (spins > MAX_SPINS) {
            throw new IllegalStateException("no echo arrived: the reflecting thread failed");
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
