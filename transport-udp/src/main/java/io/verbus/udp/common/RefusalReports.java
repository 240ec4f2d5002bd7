// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

/** Which of the kernel's refusals to send operators are told of: one a second. One thread. */
public final class RefusalReports {
    private static final long INTERVAL_NS = 1_000_000_000;

    private long toldNs;
    private boolean wasTold;

    /**
     * Whether to tell of a refusal; counts it as told.
     *
     * @param errno why the kernel refused; 0 for a reason that passes by itself.
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
