// SPDX-License-Identifier: Apache-2.0

/**
 * Implements {@code verbus demo}: sends market data between processes, and verifies every message.
 */
package io.verbus.perf.demo;
