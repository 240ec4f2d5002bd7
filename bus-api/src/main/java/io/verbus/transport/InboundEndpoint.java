// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/** Where a transport receives: compared by identity, opaque to the driver. */
public interface InboundEndpoint {
    /** The address for people, with the port that was really bound. */
    String description();
}
