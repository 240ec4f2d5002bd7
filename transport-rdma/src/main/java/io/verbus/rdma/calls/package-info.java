// SPDX-License-Identifier: Apache-2.0

/**
 * Makes calls that a device or a peer can hold on threads of their own. Knows nothing of what is
 * called.
 */
package io.verbus.rdma.calls;
