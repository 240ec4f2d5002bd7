// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.collections.ArrayUtil;

/**
 * The images that the receiver merges from several sources. The conductor adds and removes images;
 * the receiver runs each one's turn, and acknowledges that it has released removed images and
 * sources.
 */
public final class Mergers {
    private static final Merger[] NONE = {};

    /** An image merged from several sources. */
    @FunctionalInterface
    public interface Merger {
        /** Runs the image's turn; returns the work count. Called by the receiver. */
        int merge();
    }

    /** Written by the conductor, a new array each time; read by the receiver once a cycle. */
    private volatile Merger[] all = NONE;

    /** Number of removals. Written by the conductor. */
    private volatile long removals;

    /**
     * Number of removals that the receiver has seen for a complete cycle. Written by the receiver.
     */
    private volatile long acknowledged;

    public void add(Merger image) {
        all = ArrayUtil.add(all, image);
    }

    public void remove(Merger image) {
        Merger[] rest = ArrayUtil.remove(all, image);
        all = rest.length == 0 ? NONE : rest;
    }

    /** Runs the duty cycle; returns the work count. Called by the receiver. */
    public int work() {
        // read first: this cycle does not use anything that was removed earlier
        long seen = removals;
        Merger[] images = all;
        int work = 0;
        for (int i = 0; i < images.length; i++) {
            work += images[i].merge();
        }
        if (seen != acknowledged) {
            acknowledged = seen;
        }
        return work;
    }

    /** Records a removal; returns its number for {@link #isReleased}. Called by the conductor. */
    public long removed() {
        long next = removals + 1;
        removals = next;
        return next;
    }

    /** Returns whether the receiver has released what was removed. Called by the conductor. */
    public boolean isReleased(long removal) {
        return acknowledged >= removal;
    }
}
