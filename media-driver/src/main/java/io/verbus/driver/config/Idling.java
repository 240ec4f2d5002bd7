// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

import java.util.concurrent.TimeUnit;

/** Idle strategy of an agent's thread after a duty cycle without work. */
public enum Idling {
    /** Spins with the processor's spin hint: lowest latency, but needs a core of its own. */
    BUSY_SPIN,

    /** Yields the processor: low latency on a shared core. */
    YIELD,

    /**
     * Spins, then yields, then parks for 1 microsecond up to 1 millisecond. A sender or receiver
     * that does not share its thread with the conductor first spins and yields for 200
     * microseconds.
     */
    BACKOFF,

    /** Parks for 1 millisecond. */
    SLEEP,

    /** Does nothing. */
    NOOP;

    static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(1);
    static final long MAX_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int SPINS = 10;
    private static final int YIELDS = 20;

    /** Returns a new strategy for a thread that does not run the conductor. */
    public IdleStrategy networkStrategy() {
        return this == BACKOFF ? new TimedBackoff() : strategy();
    }

    /** Returns a new strategy for one thread. */
    public IdleStrategy strategy() {
        return switch (this) {
            case BUSY_SPIN -> new BusySpinIdleStrategy();
            case YIELD -> new YieldingIdleStrategy();
            case BACKOFF -> new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, MAX_PARK_NS);
            case SLEEP -> new SleepingIdleStrategy(MAX_PARK_NS);
            case NOOP -> NoOpIdleStrategy.INSTANCE;
        };
    }
}
