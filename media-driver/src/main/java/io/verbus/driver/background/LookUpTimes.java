// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.function.LongConsumer;

/** Measures the duration of name lookups. Thread-safe. */
public final class LookUpTimes implements LongConsumer {
    private final AtomicCounter longest;
    private final AtomicCounter exceeded;
    private final long thresholdNs;

    /**
     * @param longest counter of the longest duration in nanoseconds.
     * @param exceeded counter of durations above the threshold.
     * @param thresholdNs threshold in nanoseconds.
     */
    public LookUpTimes(AtomicCounter longest, AtomicCounter exceeded, long thresholdNs) {
        this.thresholdNs = thresholdNs;
        this.longest = longest;
        this.exceeded = exceeded;
    }

    @Override
    public synchronized void accept(long ns) {
        longest.proposeMaxRelease(ns);
        if (ns > thresholdNs) {
            exceeded.incrementRelease();
        }
    }
}
