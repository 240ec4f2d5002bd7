// SPDX-License-Identifier: Apache-2.0

/**
 * The subscribing side: the conductor's part listens, and makes an image of what a peer offers; the
 * receiver's part answers the peer and grants it credit.
 */
package io.verbus.rdma.inbound;
