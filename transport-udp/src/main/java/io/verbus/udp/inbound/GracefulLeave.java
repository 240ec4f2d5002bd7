// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import java.util.concurrent.TimeUnit;

/**
 * Leaves a sender without losing anything that it has sent: the receiver stops extending the
 * window, waits until the sender is quiet and no frame is missing, reports that it is leaving, and
 * stays until nothing has arrived for a while. Used by the receiver's thread only.
 */
final class GracefulLeave {
    /**
     * Time without new frames after which the sender is assumed to have nothing to send, or no
     * window.
     */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Time after which to leave a sender that neither falls quiet nor uses up its window. */
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Time after which a sender that still sends is assumed to have missed the notification. */
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final long beganNs;
    private long highest;
    private long newsNs;
    private boolean hasLeft;
    private long leftNs;

    /**
     * @param highest position up to which frames have arrived.
     * @param nowNs monotonic time.
     */
    GracefulLeave(long highest, long nowNs) {
        this.highest = highest;
        beganNs = nowNs;
        newsNs = nowNs;
    }

    /** Returns whether the sender was notified. */
    boolean hasLeft() {
        return hasLeft;
    }

    /**
     * Returns whether to notify the sender now; if so, counts it as notified.
     *
     * @param highestNow position up to which frames have arrived.
     * @param hasGap whether earlier frames are missing.
     * @param isAllHere whether everything that the sender may send has arrived.
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

    /** Returns whether the sender was notified, and nothing has arrived for a while since. */
    boolean isOver(long nowNs) {
        return hasLeft && nowNs - leftNs >= QUIET_NS && nowNs - newsNs >= QUIET_NS;
    }
}
