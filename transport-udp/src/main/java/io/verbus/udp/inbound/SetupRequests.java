// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

/**
 * Streams whose setups were requested recently: each is requested once per interval, and the table
 * bounds their number. Used by the receiver's thread only.
 */
final class SetupRequests {
    private static final int CAPACITY = 32;
    private static final long INTERVAL_NS = 200_000_000;

    private final long[] keys = new long[CAPACITY];
    private final long[] times = new long[CAPACITY];
    private int count;

    /** Returns whether to request the setup of a stream now; if so, counts it as requested. */
    boolean mayAsk(long key, long nowNs) {
        int free = count;
        for (int i = 0; i < count; i++) {
            boolean expired = nowNs - times[i] >= INTERVAL_NS;
            if (keys[i] == key && !expired) {
                return false;
            }
            if (expired) {
                free = i;
            }
        }
        if (free == CAPACITY) {
            return false;
        }
        keys[free] = key;
        times[free] = nowNs;
        count = Math.max(count, free + 1);
        return true;
    }
}
