// SPDX-License-Identifier: Apache-2.0

/**
 * Implements {@code verbus report}, which collects facts and measurements of an RDMA host in one
 * file.
 */
package io.verbus.perf.kit;
