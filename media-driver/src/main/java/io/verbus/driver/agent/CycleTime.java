// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Longest time from one duty cycle of an agent to the next, idling included: since the start, and
 * recently, which is in the current window and the one before. Also how many cycles took too long.
 * The agent's thread.
 */
public final class CycleTime {
    /** Nanoseconds of a window: a scrape every 10 s misses no long cycle. */
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
     * @param max nanoseconds of the longest cycle.
     * @param recent nanoseconds of the longest cycle of this window and the one before.
     * @param exceeded cycles that took too long.
     * @param thresholdNs nanoseconds that a cycle must take longer than to be counted.
     */
    public CycleTime(
            AtomicCounter max, AtomicCounter recent, AtomicCounter exceeded, long thresholdNs) {
        this.thresholdNs = thresholdNs;
        this.max = max;
        this.recent = recent;
        this.exceeded = exceeded;
    }

    /** A cycle begins, and the one before has ended. */
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
