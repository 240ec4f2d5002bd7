// SPDX-License-Identifier: Apache-2.0

/**
 * {@code verbus demo archive}: Aeron's archive on drivers of Verbus. The processes of its clients
 * have nothing of Verbus on their class path but the demo's messages.
 */
package io.verbus.perf.demo.archive;
