// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/** How a driver deals with adapters that may place a later write before an earlier one. */
public enum WriteOrder {
    /** Uses them, with a warning. */
    TRUST,

    /** Refuses their connections. */
    CHECK,

    /** Commits a batch only when the peer has confirmed that its body is in place. */
    SAFE
}
