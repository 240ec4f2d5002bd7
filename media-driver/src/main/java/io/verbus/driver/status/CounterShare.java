// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

/** Shares of the driver's counters, by what causes them: peers never take all. */
public enum CounterShare {
    /** Of clients and of the driver itself: all that the others leave, a quarter at least. */
    CLIENTS("", 1),

    /** Of the images of remote publications, with the positions of their subscribers. */
    IMAGES("images of remote publications", 4),

    /**
     * Of a transport's connections, with what a transport counts of each image: three over RDMA.
     */
    CONNECTIONS("connections", 2);

    private final String takers;
    private final int divisor;

    CounterShare(String takers, int divisor) {
        this.takers = takers;
        this.divisor = divisor;
    }

    /** Counters that may be taken, of so many. */
    int of(int capacity) {
        return capacity / divisor;
    }

    /** What takes them, for people. */
    String takers() {
        return takers;
    }
}
