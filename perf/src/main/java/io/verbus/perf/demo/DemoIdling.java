// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/** Idle strategy of the demo's publisher and subscriber. */
public final class DemoIdling {
    /** Number of spins before an idle thread yields its core. */
    private static final int SPINS = 20;

    /** Number of yields before it sleeps: with only two cores, other threads need the core. */
    private static final int YIELDS = 50;

    private static final long SHORTEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONGEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private DemoIdling() {}

    /** Creates a strategy for a thread that offers or polls. */
    public static IdleStrategy strategy() {
        return new BackoffIdleStrategy(SPINS, YIELDS, SHORTEST_SLEEP_NS, LONGEST_SLEEP_NS);
    }
}
