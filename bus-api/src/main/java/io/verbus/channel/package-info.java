// SPDX-License-Identifier: Apache-2.0

/** Channels: syntax, keys and values of the strings that say where a stream goes. */
package io.verbus.channel;
