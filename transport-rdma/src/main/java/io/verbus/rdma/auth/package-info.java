// SPDX-License-Identifier: Apache-2.0

/**
 * Proves to a peer that this driver has the key of its network, and checks the peer's proof: keys,
 * the key file, and the two sides of the handshake. Independent of connections and messages.
 */
package io.verbus.rdma.auth;
