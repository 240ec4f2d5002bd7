// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Longest time from one duty cycle of an agent to the next, idling included, and how many took too
 * long. The agent's thread.
 */
public final class CycleTime {
    private final AtomicCounter max;
    private final AtomicCounter exceeded;
    private final long thresholdNs;
    private boolean hasBegun;
    private long beganNs;
    private long maxNs;

    /**
     * @param max nanoseconds of the longest cycle.
     * @param exceeded cycles that took too long.
     * @param thresholdNs nanoseconds that a cycle must take longer than to be counted.
     */
    public CycleTime(AtomicCounter max, AtomicCounter exceeded, long thresholdNs) {
        this.thresholdNs = thresholdNs;
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
        if (cycleNs > thresholdNs && hasBegun) {
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
