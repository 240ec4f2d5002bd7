// SPDX-License-Identifier: Apache-2.0

/** Publishing side: sends logs, and retransmits the data that receivers are missing. */
package io.verbus.udp.outbound;
