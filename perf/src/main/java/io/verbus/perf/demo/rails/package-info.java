// SPDX-License-Identifier: Apache-2.0

/**
 * Implements {@code verbus demo rails}: one stream over two networks at once, each of which fails
 * and returns.
 */
package io.verbus.perf.demo.rails;
