// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;

/** Accepts connections at one local address. Used by the conductor's thread only. */
public interface Listener extends AutoCloseable {
    /** Returns the bound address, with the actual port. */
    InetSocketAddress localAddress();

    /** Stops listening; existing connections stay open. Idempotent. */
    @Override
    void close();
}
