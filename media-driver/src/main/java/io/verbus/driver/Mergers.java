// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import org.agrona.collections.ArrayUtil;

/**
 * The receiver's part of images that come from several sources. The conductor adds and removes; the
 * receiver gives each its turn, and acknowledges that it has let go of what was removed.
 */
final class Mergers {
    private static final MergedImage[] NONE = {};

    /** Written by the conductor, a new array each time; read by the receiver once a cycle. */
    private volatile MergedImage[] all = NONE;

    /** Raised by the conductor when something was removed. */
    private volatile long removals;

    /** Written by the receiver: the removals that a whole cycle has seen. */
    private volatile long acknowledged;

    void add(MergedImage image) {
        all = ArrayUtil.add(all, image);
    }

    void remove(MergedImage image) {
        MergedImage[] rest = ArrayUtil.remove(all, image);
        all = rest.length == 0 ? NONE : rest;
    }

    /** A turn of the duty cycle. Returns the amount of work done. Receiver. */
    int work() {
        long seen = removals; // first: what was removed before is not seen below
        MergedImage[] images = all;
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
    long removed() {
        long next = removals + 1;
        removals = next;
        return next;
    }

    /** Whether the receiver has let go of what was removed. Conductor. */
    boolean isReleased(long removal) {
        return acknowledged >= removal;
    }
}
