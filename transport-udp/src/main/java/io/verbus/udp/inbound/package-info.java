// SPDX-License-Identifier: Apache-2.0

/** The subscribing side: rebuilds logs from datagrams, and asks for what is missing. */
package io.verbus.udp.inbound;
