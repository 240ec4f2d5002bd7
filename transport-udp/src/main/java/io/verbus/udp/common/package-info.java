// SPDX-License-Identifier: Apache-2.0

/** What the two sides of the protocol share: options and counters. */
package io.verbus.udp.common;
