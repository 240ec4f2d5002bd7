// SPDX-License-Identifier: Apache-2.0

/** Subscribing side: rebuilds logs from datagrams, and requests missing data. */
package io.verbus.udp.inbound;
