// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

/** Limits reports of datagrams that the kernel rejects to one per second. Used by one thread. */
public final class RefusalReports {
    private static final long INTERVAL_NS = 1_000_000_000;

    private long toldNs;
    private boolean wasTold;

    /**
     * Returns whether to report a rejection, and if so, counts it as reported.
     *
     * @param errno errno of the rejection; 0 if it is transient.
     * @param nowNs monotonic time.
     */
    public boolean isDue(int errno, long nowNs) {
        if (errno == 0 || wasTold && nowNs - toldNs < INTERVAL_NS) {
            return false;
        }
        wasTold = true;
        toldNs = nowNs;
        return true;
    }
}
