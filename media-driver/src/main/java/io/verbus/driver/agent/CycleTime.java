// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Measures the longest time between duty cycles of an agent, including idling, and counts the
 * cycles that took too long. Used by the agent's thread.
 */
public final class CycleTime {
    private final AtomicCounter max;
    private final AtomicCounter exceeded;
    private final long thresholdNs;
    private boolean hasBegun;
    private long beganNs;
    private long maxNs;

    /**
     * @param max counter of the longest cycle in nanoseconds.
     * @param exceeded counter of cycles that took too long.
     * @param thresholdNs duration in nanoseconds above which a cycle is counted.
     */
    public CycleTime(AtomicCounter max, AtomicCounter exceeded, long thresholdNs) {
        this.thresholdNs = thresholdNs;
        this.max = max;
        this.exceeded = exceeded;
    }

    /** Records the begin of a cycle, which ends the previous one. */
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
