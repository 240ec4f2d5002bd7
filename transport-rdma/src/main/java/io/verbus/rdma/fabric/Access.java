// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Says which side may write a registered region. Never more than is needed, and never relaxed
 * ordering.
 */
public enum Access {
    /**
     * The device reads the region for this side's own writes and sends; the peer cannot reach it.
     */
    LOCAL_READ,

    /** The device also writes it for this side: buffers of receives. */
    LOCAL_WRITE,

    /** The peer may write it with the region's remote key. */
    REMOTE_WRITE
}
