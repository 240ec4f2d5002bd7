// SPDX-License-Identifier: Apache-2.0

/** {@code verbus demo}: market data from one process to another, every message verified. */
package io.verbus.perf.demo;
