// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.function.LongConsumer;

/** Tells operators how long name servers take to answer. Any thread. */
public final class LookUpTimes implements LongConsumer {
    private final AtomicCounter longest;
    private final AtomicCounter exceeded;
    private final long thresholdNs;

    /**
     * @param longest nanoseconds so far.
     * @param exceeded times that were too long.
     * @param thresholdNs nanoseconds that a time must be longer than to be counted.
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
