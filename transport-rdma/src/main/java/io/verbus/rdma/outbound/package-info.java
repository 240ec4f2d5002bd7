// SPDX-License-Identifier: Apache-2.0

/**
 * The publishing side. The conductor's part maintains one connection to each remote endpoint, and
 * the sender's part writes logs through these connections.
 */
package io.verbus.rdma.outbound;
