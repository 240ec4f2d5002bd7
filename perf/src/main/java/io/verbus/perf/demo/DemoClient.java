// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.Bus;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What the demo's publisher and subscriber have in common. */
final class DemoClient {
    /** Spins of an idle thread before it yields its core. */
    private static final int SPINS = 20;

    /** Yields before it sleeps: others need the core if there are only two. */
    private static final int YIELDS = 50;

    private static final long SHORTEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONGEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private DemoClient() {}

    /**
     * Settings of a bus. The driver's process starts at the same time as its clients', and all of
     * them slowly where the processor is emulated.
     */
    static Bus.Context context(String directory) {
        return new Bus.Context()
                .directoryName(directory)
                .driverTimeout(Duration.ofSeconds(120))
                .errorHandler(error -> System.err.println(error.getMessage()));
    }

    /** For a thread that offers or polls. */
    static IdleStrategy idleStrategy() {
        return new BackoffIdleStrategy(SPINS, YIELDS, SHORTEST_SLEEP_NS, LONGEST_SLEEP_NS);
    }
}
