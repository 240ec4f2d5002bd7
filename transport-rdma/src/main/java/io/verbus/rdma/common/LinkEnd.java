// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/** How the agent of a connection came to let go of it. */
public enum LinkEnd {
    /** The connection failed, or the conductor ended it. */
    LOST,

    /** The peer broke the protocol. */
    VIOLATION,

    /** The peer's driver said that it ends. */
    GOODBYE
}
