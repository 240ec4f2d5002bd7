// SPDX-License-Identifier: Apache-2.0

/** Publishing side: sends logs, and retransmits what receivers miss. */
package io.verbus.udp.outbound;
