// SPDX-License-Identifier: Apache-2.0

/** Options, counters and utilities that both sides of the protocol share. */
package io.verbus.udp.common;
