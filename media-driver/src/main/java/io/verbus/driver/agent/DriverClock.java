// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/** The conductor's time, read once a cycle and seen by all that it calls. Conductor's thread. */
public final class DriverClock implements NanoClock, EpochClock {
    private long nowNs = SystemNanoClock.INSTANCE.nanoTime();
    private long nowMs = SystemEpochClock.INSTANCE.time();

    /** Reads the monotonic clock: once a cycle. */
    public long update() {
        nowNs = SystemNanoClock.INSTANCE.nanoTime();
        return nowNs;
    }

    /** Reads the wall clock: at the pace of the timers. */
    public long updateEpoch() {
        nowMs = SystemEpochClock.INSTANCE.time();
        return nowMs;
    }

    /** Monotonic time of this cycle. */
    @Override
    public long nanoTime() {
        return nowNs;
    }

    /** Milliseconds since the epoch at the last timer. */
    public long epochMs() {
        return nowMs;
    }

    @Override
    public long time() {
        return nowMs;
    }
}
