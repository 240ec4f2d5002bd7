// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

/**
 * Limits the rate of work that unauthenticated peers can cause, regardless of their addresses, to a
 * fixed amount per interval. Used by one thread.
 */
public final class RateLimit {
    private final int perInterval;
    private final long intervalNs;
    private long beganNs;
    private int given;

    /**
     * @param perInterval maximum amount per interval.
     * @param intervalNs length of an interval in nanoseconds.
     */
    public RateLimit(int perInterval, long intervalNs) {
        this.perInterval = perInterval;
        this.intervalNs = intervalNs;
    }

    /** Creates a limit of 16 per 10 ms. */
    public static RateLimit ofSender() {
        return new RateLimit(16, 10_000_000);
    }

    /** Takes one unit; returns false if none is left in this interval. */
    public boolean take(long nowNs) {
        if (nowNs - beganNs >= intervalNs) {
            beganNs = nowNs;
            given = 0;
        }
        return given++ < perInterval;
    }
}
