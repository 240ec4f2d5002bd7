// SPDX-License-Identifier: Apache-2.0

/**
 * What the remote-log protocol needs of an RDMA fabric, and no more: reliable connections set up by
 * the conductor, and on each a queue pair that one agent posts to and polls.
 *
 * <p>{@code io.verbus.rdma.verbs} implements it over libibverbs and librdmacm; tests have a
 * simulated fabric that delays, reorders and fails.
 */
package io.verbus.rdma.fabric;
