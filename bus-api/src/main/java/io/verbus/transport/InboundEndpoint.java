// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/** An endpoint at which a transport receives; compared by identity, opaque to the driver. */
public interface InboundEndpoint {
    /** Returns the human-readable address, with the port that is actually bound. */
    String description();
}
