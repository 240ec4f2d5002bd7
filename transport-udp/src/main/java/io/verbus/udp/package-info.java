// SPDX-License-Identifier: Apache-2.0

/**
 * The UDP transport, wire-compatible with Aeron. {@code socket} binds the C library's sockets,
 * {@code wire} knows the frames, {@code link} holds what both sides share; {@code outbound} is the
 * publishing side, {@code inbound} the subscribing one.
 */
package io.verbus.udp;
