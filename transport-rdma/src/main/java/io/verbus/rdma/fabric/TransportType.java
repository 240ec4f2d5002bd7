// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/** Transport of a device's verbs. */
public enum TransportType {
    /** InfiniBand, or RoCE if the link layer is Ethernet. */
    INFINIBAND,

    /** RDMA over TCP. */
    IWARP,

    /**
     * Anything else, such as the SRD of EFA devices, which does not keep writes in order and so
     * cannot carry a remote log.
     */
    UNORDERED;

    /**
     * Returns whether writes on a reliable connection become visible in the order in which they
     * were posted.
     */
    public boolean ordered() {
        return this != UNORDERED;
    }
}
