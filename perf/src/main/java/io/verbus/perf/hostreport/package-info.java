// SPDX-License-Identifier: Apache-2.0

/**
 * Implements {@code verbus report}, which collects facts about an RDMA host, and measurements, in
 * one file.
 */
package io.verbus.perf.hostreport;
