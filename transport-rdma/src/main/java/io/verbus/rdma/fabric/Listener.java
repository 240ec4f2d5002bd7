// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;

/** Waits for connections at one local address. Conductor's thread only. */
public interface Listener extends AutoCloseable {
    /** The address, with the port that was really bound. */
    InetSocketAddress localAddress();

    /** Stops listening; connections made stay. Idempotent. */
    @Override
    void close();
}
