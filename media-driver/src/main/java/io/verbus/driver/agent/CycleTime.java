// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.TimeUnit;

/**
 * Longest time from one duty cycle of an agent to the next, idling included, and how many took too
 * long. The agent's thread.
 */
public final class CycleTime {
    private static final long THRESHOLD_NS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicCounter max;
    private final AtomicCounter exceeded;
    private boolean hasBegun;
    private long beganNs;
    private long maxNs;

    /**
     * @param max nanoseconds of the longest cycle.
     * @param exceeded cycles that took longer than a second.
     */
    public CycleTime(AtomicCounter max, AtomicCounter exceeded) {
        this.max = max;
        this.exceeded = exceeded;
    }

    /** A cycle begins, and the one before has ended. */
    public void onCycle(long nowNs) {
        long cycleNs = nowNs - beganNs;
        beganNs = nowNs;
        if (cycleNs > maxNs) {
            onLonger(cycleNs);
        }
        if (cycleNs > THRESHOLD_NS && hasBegun) {
            exceeded.incrementRelease();
        }
        hasBegun = true;
    }

    private void onLonger(long cycleNs) {
        if (hasBegun) {
            maxNs = cycleNs;
            max.setRelease(cycleNs);
        }
    }
}
