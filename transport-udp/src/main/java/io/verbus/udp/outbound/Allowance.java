// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/**
 * Bounds what strangers can ask for, whatever address a question bears: so much is given in each
 * interval, and no more. Sender's thread.
 */
final class Allowance {
    private static final int PER_INTERVAL = 16;
    private static final long INTERVAL_NS = 10_000_000;

    private long beganNs;
    private int given;

    /** Whether there is some left; takes it. */
    boolean take(long nowNs) {
        if (nowNs - beganNs >= INTERVAL_NS) {
            beganNs = nowNs;
            given = 0;
        }
        return given++ < PER_INTERVAL;
    }
}
