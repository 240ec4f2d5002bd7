// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareLimits;

import java.util.List;

/**
 * Divides the driver's counters by the cause of their allocation, so that peers cannot use all of
 * them.
 */
public enum CounterShare {
    /**
     * Counters of clients and of the driver itself: all counters that the other shares leave, at
     * least a quarter.
     */
    CLIENTS("", 1, Share.COUNTERS),

    /** Counters of images of remote publications, including their subscriber positions. */
    IMAGES("images of remote publications", 4, Share.IMAGE_POSITIONS),

    /**
     * Counters of a transport's connections, including those of each image: three per image over
     * RDMA.
     */
    CONNECTIONS("connections", 2, Share.COUNTERS);

    private final String takers;
    private final int divisor;
    private final Share ofClients;

    CounterShare(String takers, int divisor, Share ofClients) {
        this.takers = takers;
        this.divisor = divisor;
        this.ofClients = ofClients;
    }

    /** Returns the number of counters in this share for a given capacity. */
    int of(int capacity) {
        return capacity / divisor;
    }

    /** Returns a description of the counters' users. */
    String takers() {
        return takers;
    }

    /** Returns the client share in which such a counter counts. */
    Share ofClients() {
        return ofClients;
    }

    /** Adds limits on the counters that all clients together may use, for a given capacity. */
    public static ShareLimits limits(ShareLimits limits, int capacity) {
        ShareLimits all = limits;
        for (CounterShare each : List.of(CLIENTS, IMAGES)) {
            all = all.with(each.ofClients, each.of(capacity));
        }
        return all;
    }
}
