// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.collections.ArrayUtil;

/**
 * The receiver's part of images that come from several sources. The conductor adds and removes; the
 * receiver gives each its turn, and acknowledges that it has let go of what was removed.
 */
public final class Mergers {
    private static final Merger[] NONE = {};

    /** An image that is put together. */
    @FunctionalInterface
    public interface Merger {
        /** A turn. Returns the amount of work done. Receiver. */
        int merge();
    }

    /** Written by the conductor, a new array each time; read by the receiver once a cycle. */
    private volatile Merger[] all = NONE;

    /** Raised by the conductor when something was removed. */
    private volatile long removals;

    /** Written by the receiver: the removals that a whole cycle has seen. */
    private volatile long acknowledged;

    public void add(Merger image) {
        all = ArrayUtil.add(all, image);
    }

    public void remove(Merger image) {
        Merger[] rest = ArrayUtil.remove(all, image);
        all = rest.length == 0 ? NONE : rest;
    }

    /** A turn of the duty cycle. Returns the amount of work done. Receiver. */
    public int work() {
        long seen = removals; // first: what was removed before is not seen below
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

    /** Something was removed; returns by what {@link #isReleased} knows it. Conductor. */
    public long removed() {
        long next = removals + 1;
        removals = next;
        return next;
    }

    /** Whether the receiver has let go of what was removed. Conductor. */
    public boolean isReleased(long removal) {
        return acknowledged >= removal;
    }
}
