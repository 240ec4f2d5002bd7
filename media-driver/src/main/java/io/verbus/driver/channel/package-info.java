// SPDX-License-Identifier: Apache-2.0

/** Addresses and tags of channels, and their status for clients. */
package io.verbus.driver.channel;
