// SPDX-License-Identifier: Apache-2.0

/** Subscribing side: rebuilds logs from datagrams, and requests what is missing. */
package io.verbus.udp.inbound;
