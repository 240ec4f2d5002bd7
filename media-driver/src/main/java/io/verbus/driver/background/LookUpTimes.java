// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Tells operators how long name servers take to answer. Any thread. */
public final class LookUpTimes implements LongConsumer {
    /** Longer than this is counted, as Aeron does unless it is told otherwise. */
    private static final long THRESHOLD_NS = TimeUnit.SECONDS.toNanos(5);

    private final AtomicCounter longest;
    private final AtomicCounter exceeded;

    /**
     * @param longest nanoseconds so far.
     * @param exceeded times that were too long.
     */
    public LookUpTimes(AtomicCounter longest, AtomicCounter exceeded) {
        this.longest = longest;
        this.exceeded = exceeded;
    }

    @Override
    public synchronized void accept(long ns) {
        longest.proposeMaxRelease(ns);
        if (ns > THRESHOLD_NS) {
            exceeded.incrementRelease();
        }
    }
}
