// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/** How the demo's publisher and subscriber wait. */
public final class DemoIdling {
    /** Spins of an idle thread before it yields its core. */
    private static final int SPINS = 20;

    /** Yields before it sleeps: others need the core if there are only two. */
    private static final int YIELDS = 50;

    private static final long SHORTEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONGEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private DemoIdling() {}

    /** For a thread that offers or polls. */
    public static IdleStrategy strategy() {
        return new BackoffIdleStrategy(SPINS, YIELDS, SHORTEST_SLEEP_NS, LONGEST_SLEEP_NS);
    }
}
