// SPDX-License-Identifier: Apache-2.0

/**
 * The demo's publisher and subscriber with Aeron's client, in processes whose class path contains
 * no part of Verbus but the demo's messages.
 */
package io.verbus.perf.demo.aeron;
