// SPDX-License-Identifier: Apache-2.0

/**
 * Proves to a peer that this driver has the key of its network, and checks the proof of the peer:
 * keys and their file, and the two halves of the handshake. Knows nothing of connections and
 * messages.
 */
package io.verbus.rdma.auth;
