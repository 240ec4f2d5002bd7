// SPDX-License-Identifier: Apache-2.0

/**
 * Defines what the remote-log protocol needs from an RDMA fabric: reliable connections set up by
 * the conductor, each with a queue pair that one agent posts to and polls.
 *
 * <p>{@code io.verbus.rdma.verbs} implements it over libibverbs and librdmacm; tests use a
 * simulated fabric that delays, reorders and fails.
 */
package io.verbus.rdma.fabric;
