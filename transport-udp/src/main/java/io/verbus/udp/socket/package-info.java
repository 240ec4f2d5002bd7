// SPDX-License-Identifier: Apache-2.0

/** Datagram sockets of Linux through java.lang.foreign. */
package io.verbus.udp.socket;
