// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.transport.OutboundStream;

/** What a transport is given of a publication: the publication itself, or one leg of it. */
public interface CarriedStream extends OutboundStream {
    /** The publication that it is of. */
    OutboundStream publication();

    /** The transport has let go of it. Conductor. */
    void onTransportDone();
}
