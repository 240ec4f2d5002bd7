// SPDX-License-Identifier: Apache-2.0

/** Linux datagram sockets through {@code java.lang.foreign}. */
package io.verbus.udp.socket;
