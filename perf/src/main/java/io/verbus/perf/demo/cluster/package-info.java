// SPDX-License-Identifier: Apache-2.0

/**
 * Implements {@code verbus demo cluster}: an Aeron cluster on Verbus drivers loses its leader while
 * it processes orders, without losing an order.
 */
package io.verbus.perf.demo.cluster;
