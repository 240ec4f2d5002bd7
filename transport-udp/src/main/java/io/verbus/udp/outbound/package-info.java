// SPDX-License-Identifier: Apache-2.0

/** The publishing side: sends logs, and again what receivers miss. */
package io.verbus.udp.outbound;
