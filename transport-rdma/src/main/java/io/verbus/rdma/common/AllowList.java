// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.transport.Networks;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.net.InetSocketAddress;

/** The networks whose hosts may connect, from the option {@link RdmaOptions#ALLOW}. */
public final class AllowList {
    private final Networks networks;

    private AllowList(Networks networks) {
        this.networks = networks;
    }

    /**
     * Reads the option; every host may connect unless it is set.
     *
     * @param settings of the driver.
     * @return the list.
     * @throws TransportException that names the part that is no network.
     */
    public static AllowList of(TransportSettings settings) {
        return new AllowList(
                Networks.of(RdmaOptions.ALLOW.name(), RdmaOptions.ALLOW.read(settings)));
    }

    /** Whether a peer may connect. One whose address is not known may not. */
    boolean allows(InetSocketAddress peer) {
        return peer != null && peer.getAddress() != null && networks.contains(peer.getAddress());
    }
}
