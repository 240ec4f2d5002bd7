// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.transport.OutboundStream;

/** A stream that a transport sends: a whole publication, or one of its legs. */
public interface CarriedStream extends OutboundStream {
    /** Returns the publication. */
    OutboundStream publication();

    /** Called by the conductor when the transport has released the stream. */
    void onTransportDone();
}
