// SPDX-License-Identifier: Apache-2.0

/**
 * Measures Aeron. Runs in a separate JVM with Aeron's class path and, of Verbus, only {@link
 * io.verbus.perf.load}.
 */
package io.verbus.perf.aeron;
