// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareLimits;

import java.util.List;

/** Shares of the driver's counters, by what causes them: peers never take all. */
public enum CounterShare {
    /** Of clients and of the driver itself: all that the others leave, a quarter at least. */
    CLIENTS("", 1, Share.COUNTERS),

    /** Of the images of remote publications, with the positions of their subscribers. */
    IMAGES("images of remote publications", 4, Share.IMAGE_POSITIONS),

    /**
     * Of a transport's connections, with what a transport counts of each image: three over RDMA.
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

    /** Counters that may be taken, of so many. */
    int of(int capacity) {
        return capacity / divisor;
    }

    /** What takes them, for people. */
    String takers() {
        return takers;
    }

    /** What one that is taken for a client counts as there. */
    Share ofClients() {
        return ofClients;
    }

    /** Counters that clients may take together, of so many. */
    public static ShareLimits limits(ShareLimits limits, int capacity) {
        ShareLimits all = limits;
        for (CounterShare each : List.of(CLIENTS, IMAGES)) {
            all = all.with(each.ofClients, each.of(capacity));
        }
        return all;
    }
}
