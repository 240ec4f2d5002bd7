// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/** Reason why an agent released its connection. */
public enum LinkEnd {
    /** The connection failed, or the conductor ended it. */
    LOST,

    /** The peer violated the protocol. */
    VIOLATION,

    /** The peer's driver reported that it is closing. */
    GOODBYE
}
