// SPDX-License-Identifier: Apache-2.0

/** Benchmarks of single steps, which a histogram of round trips cannot tell apart. */
package io.verbus.perf.jmh;
