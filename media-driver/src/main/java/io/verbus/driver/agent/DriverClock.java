// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The conductor's clock, read once per cycle and used by everything that the conductor calls. Used
 * by the conductor's thread.
 */
public final class DriverClock implements NanoClock, EpochClock {
    private long nowNs = SystemNanoClock.INSTANCE.nanoTime();
    private long nowMs = SystemEpochClock.INSTANCE.time();

    /** Reads the monotonic clock. Called once per cycle. */
    public long update() {
        nowNs = SystemNanoClock.INSTANCE.nanoTime();
        return nowNs;
    }

    /** Reads the wall clock. Called at the timer interval. */
    public long updateEpoch() {
        nowMs = SystemEpochClock.INSTANCE.time();
        return nowMs;
    }

    /** Returns the monotonic time of this cycle. */
    @Override
    public long nanoTime() {
        return nowNs;
    }

    /** Returns the milliseconds since the epoch at the last timer. */
    public long epochMs() {
        return nowMs;
    }

    @Override
    public long time() {
        return nowMs;
    }
}
