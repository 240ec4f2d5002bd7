// SPDX-License-Identifier: Apache-2.0

/**
 * A fabric over plain memory, stepped by one thread: between any two steps the test may look at
 * memory as a reader on the far side would. See {@link io.verbus.rdma.sim.SimNetwork}.
 */
package io.verbus.rdma.sim;
