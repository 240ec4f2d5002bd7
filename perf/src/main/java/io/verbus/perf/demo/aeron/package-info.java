// SPDX-License-Identifier: Apache-2.0

/**
 * The demo's publisher and subscriber with Aeron's client. The class path of their processes
 * contains no Verbus classes except the demo's messages.
 */
package io.verbus.perf.demo.aeron;
