// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import java.util.concurrent.CompletableFuture;

/** An endpoint at which a transport receives; compared by identity, opaque to the driver. */
public interface InboundEndpoint {
    /**
     * Returns the human-readable address, with the port that is actually bound once the endpoint is
     * open.
     */
    String description();

    /**
     * Returns the result of opening the endpoint, which a device may delay. An endpoint that cannot
     * be opened must be closed like any other.
     *
     * @return a future that completes in one of the conductor's duty cycles, exceptionally with a
     *     {@link TransportException} if the address cannot be used; already completed if the
     *     endpoint opened immediately.
     */
    default CompletableFuture<Void> opened() {
        return CompletableFuture.completedFuture(null);
    }
}
