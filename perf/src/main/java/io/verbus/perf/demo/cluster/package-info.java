// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbus demo cluster}: a cluster of Aeron on drivers of Verbus loses its leader while
 * orders come in, and no order.
 */
package io.verbus.perf.demo.cluster;
