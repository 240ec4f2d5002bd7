// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Accepts connections at one local address. Used by the conductor's thread only. */
public interface Listener extends AutoCloseable {
    /**
     * Returns the result of {@link Fabric#listen}.
     *
     * @return a future completed in a poll of the fabric, with a {@link FabricException} if the
     *     address does not belong to an RDMA device, or is in use; never completed if the listener
     *     is closed before.
     */
    CompletableFuture<Void> opened();

    /** Returns why the address was refused; null if it was not, or the result is unknown. */
    default FabricException refusal() {
        return opened().isCompletedExceptionally()
                ? (FabricException) opened().exceptionNow()
                : null;
    }

    /** Returns the bound address, with the actual port; null before the listener is open. */
    InetSocketAddress localAddress();

    /**
     * Stops listening; existing connections stay open. Another listener can be opened at the
     * address immediately: it waits until this one is destroyed. Does not block. Idempotent.
     */
    @Override
    void close();
}
