// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/** Policy for adapters that may place a later write before an earlier one. */
public enum WriteOrder {
    /** Uses such adapters, with a warning. */
    TRUST,

    /** Rejects connections that use such adapters. */
    CHECK,

    /** Commits a batch only after the peer has confirmed that its body is in place. */
    SAFE
}
