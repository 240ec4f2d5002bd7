// SPDX-License-Identifier: Apache-2.0

/**
 * The UDP transport, wire-compatible with Aeron. {@code socket} binds the C library's sockets,
 * {@code wire} encodes frames, {@code common} holds what both sides share; {@code outbound} is the
 * publishing side, {@code inbound} the subscribing side.
 */
package io.verbus.udp;
