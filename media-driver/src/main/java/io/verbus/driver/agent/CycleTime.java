// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Measures an agent's longest duty cycle, including idling, since the start and in the current and
 * previous windows, and counts the cycles that took too long. Used by the agent's thread.
 */
public final class CycleTime {
    /**
     * Length of a window in nanoseconds, chosen so that a scrape every 10 s misses no long cycle.
     */
    static final long WINDOW_NS = 10_000_000_000L;

    private final AtomicCounter max;
    private final AtomicCounter recent;
    private final AtomicCounter exceeded;
    private final long thresholdNs;
    private boolean hasBegun;
    private long beganNs;
    private long maxNs;
    private long windowBeganNs;
    private long windowMaxNs;
    private long recentNs;

    /**
     * @param max counter of the longest cycle in nanoseconds.
     * @param recent counter of the longest cycle of the current and the previous window, in
     *     nanoseconds.
     * @param exceeded counter of cycles that took too long.
     * @param thresholdNs duration in nanoseconds above which a cycle is counted.
     */
    public CycleTime(
            AtomicCounter max, AtomicCounter recent, AtomicCounter exceeded, long thresholdNs) {
        this.thresholdNs = thresholdNs;
        this.max = max;
        this.recent = recent;
        this.exceeded = exceeded;
    }

    /** Records the beginning of a cycle, which ends the previous one. */
    public void onCycle(long nowNs) {
        long cycleNs = nowNs - beganNs;
        beganNs = nowNs;
        if (cycleNs > windowMaxNs) {
            onLonger(cycleNs);
        }
        if (nowNs - windowBeganNs > WINDOW_NS || !hasBegun) {
            beginWindow(nowNs);
        }
        if (cycleNs > thresholdNs && hasBegun) {
            exceeded.incrementRelease();
        }
        hasBegun = true;
    }

    private void onLonger(long cycleNs) {
        if (hasBegun) {
            windowMaxNs = cycleNs;
            if (cycleNs > recentNs) {
                recentNs = cycleNs;
                recent.setRelease(cycleNs);
            }
            if (cycleNs > maxNs) {
                maxNs = cycleNs;
                max.setRelease(cycleNs);
            }
        }
    }

    private void beginWindow(long nowNs) {
        windowBeganNs = nowNs;
        recentNs = windowMaxNs;
        windowMaxNs = 0;
        recent.setRelease(recentNs);
    }
}
