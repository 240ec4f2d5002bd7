// SPDX-License-Identifier: Apache-2.0

/**
 * Transport over RDMA: replicates the log of a publication into the log of its remote image with
 * one-sided writes.
 *
 * <p>{@code outbound} is the publishing side, {@code inbound} the subscribing side, and {@code
 * common} the code that both share. {@code fabric} defines what they need from RDMA, {@code verbs}
 * implements it over libibverbs and librdmacm, and {@code calls} runs calls that may block. {@code
 * auth} proves keys to peers, and {@code doctor} examines the host.
 */
package io.verbus.rdma;
