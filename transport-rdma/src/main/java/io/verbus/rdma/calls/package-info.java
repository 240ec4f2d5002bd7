// SPDX-License-Identifier: Apache-2.0

/**
 * Runs calls that a device or a peer can delay on separate threads. Independent of the calls'
 * contents.
 */
package io.verbus.rdma.calls;
