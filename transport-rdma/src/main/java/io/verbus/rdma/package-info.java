// SPDX-License-Identifier: Apache-2.0

/**
 * Transport over RDMA: replicates the log of a publication into the log of its remote image with
 * one-sided writes.
 *
 * <p>{@code link} holds what both ends of a connection share, {@code outbound} the publishing side,
 * {@code inbound} the subscribing side, {@code fabric} what they need of RDMA, and {@code verbs}
 * the fabric over libibverbs and librdmacm.
 */
package io.verbus.rdma;
