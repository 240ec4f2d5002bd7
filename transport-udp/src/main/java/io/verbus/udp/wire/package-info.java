// SPDX-License-Identifier: Apache-2.0

/** The frames on the wire: where their fields stand, and how they are written. */
package io.verbus.udp.wire;
