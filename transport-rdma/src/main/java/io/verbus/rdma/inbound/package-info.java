// SPDX-License-Identifier: Apache-2.0

/**
 * The subscribing side: the conductor's part listens and creates images for peers' offers, and the
 * receiver's part answers the peers and grants them credit.
 */
package io.verbus.rdma.inbound;
