// SPDX-License-Identifier: Apache-2.0

/** Measures Verbus. */
package io.verbus.perf.verbus;
