// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Specifies which side may write a registered region. Never grants more than needed, and never
 * relaxed ordering.
 */
public enum Access {
    /** The device reads the region for local writes and sends; the peer cannot access it. */
    LOCAL_READ,

    /** The device also writes the region for this side: receive buffers. */
    LOCAL_WRITE,

    /** The peer may write the region with its remote key. */
    REMOTE_WRITE
}
