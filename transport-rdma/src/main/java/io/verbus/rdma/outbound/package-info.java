// SPDX-License-Identifier: Apache-2.0

/**
 * The publishing side: the conductor's part keeps one connection per remote endpoint, and the
 * sender's part writes logs through it.
 */
package io.verbus.rdma.outbound;
