// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.transport.OutboundStream;

/** A stream given to a transport: a whole publication, or one leg of it. */
public interface CarriedStream extends OutboundStream {
    /** Returns the publication. */
    OutboundStream publication();

    /** Handles that the transport has released the stream. Called by the conductor. */
    void onTransportDone();
}
