// SPDX-License-Identifier: Apache-2.0

/**
 * The same round trips on Aeron. Runs in a JVM of its own on Aeron's class path, with nothing of
 * Verbus on it but {@link io.verbus.perf.load}.
 */
package io.verbus.perf.aeron;
