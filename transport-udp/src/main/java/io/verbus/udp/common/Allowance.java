// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

/**
 * Bounds what strangers can ask for, whatever address a question bears: so much is given in each
 * interval, and no more. For one thread.
 */
public final class Allowance {
    private final int perInterval;
    private final long intervalNs;
    private long beganNs;
    private int given;

    /**
     * @param perInterval what is given in an interval at most.
     * @param intervalNs nanoseconds of an interval.
     */
    public Allowance(int perInterval, long intervalNs) {
        this.perInterval = perInterval;
        this.intervalNs = intervalNs;
    }

    /** 16 in 10 ms. */
    public static Allowance ofSender() {
        return new Allowance(16, 10_000_000);
    }

    /** Whether there is some left; takes it. */
    public boolean take(long nowNs) {
        if (nowNs - beganNs >= intervalNs) {
            beganNs = nowNs;
            given = 0;
        }
        return given++ < perInterval;
    }
}
