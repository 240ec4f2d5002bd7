// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import java.util.concurrent.TimeUnit;

/**
 * How a receiver leaves a sender so that nothing is lost which the sender has sent: the receiver
 * grants nothing more, waits until the sender is quiet and no frame is missing, tells that it
 * leaves, and stays until nothing has come for a while. Receiver's thread.
 */
final class Parting {
    /** A sender from which nothing new has come for so long has nothing to send, or no credit. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A sender that is never quiet, and does not use up its credit, is left after so long. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** A sender that goes on for so long has not heard that it was left. */
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final long beganNs;
    private long highest;
    private long newsNs;
    private boolean hasLeft;
    private long leftNs;

    /**
     * @param highest position up to which frames have come.
     * @param nowNs monotonic time.
     */
    Parting(long highest, long nowNs) {
        this.highest = highest;
        beganNs = nowNs;
        newsNs = nowNs;
    }

    /** Whether the sender was told. */
    boolean hasLeft() {
        return hasLeft;
    }

    /**
     * Whether to tell the sender now; it counts as told.
     *
     * @param highestNow position up to which frames have come.
     * @param hasGap whether frames before that are missing.
     * @param isAllHere whether all is there that the sender may send.
     * @param nowNs monotonic time.
     */
    boolean isLeavingDue(long highestNow, boolean hasGap, boolean isAllHere, long nowNs) {
        boolean isNews = highestNow > highest;
        if (isNews) {
            highest = highestNow;
            newsNs = nowNs;
        }
        boolean isQuiet = nowNs - newsNs >= QUIET_NS;
        boolean isDue =
                hasLeft
                        ? isNews && nowNs - leftNs >= AGAIN_NS
                        : isAllHere
                                || isQuiet && !hasGap
                                || nowNs - beganNs >= PATIENCE_NS && !hasGap;
        if (isDue) {
            hasLeft = true;
            leftNs = nowNs;
        }
        return isDue;
    }

    /** Whether the sender was told, and nothing has come since for a while. */
    boolean isOver(long nowNs) {
        return hasLeft && nowNs - leftNs >= QUIET_NS && nowNs - newsNs >= QUIET_NS;
    }
}
