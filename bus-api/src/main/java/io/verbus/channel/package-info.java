// SPDX-License-Identifier: Apache-2.0

/** Channels: syntax, keys and values of the strings that name where messages go. */
package io.verbus.channel;
