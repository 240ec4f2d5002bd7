// SPDX-License-Identifier: Apache-2.0

/** Microbenchmarks of single operations, which round-trip histograms cannot separate. */
package io.verbus.perf.jmh;
