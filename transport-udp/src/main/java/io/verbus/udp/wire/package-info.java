// SPDX-License-Identifier: Apache-2.0

/** Encoding and decoding of the frames on the wire. */
package io.verbus.udp.wire;
