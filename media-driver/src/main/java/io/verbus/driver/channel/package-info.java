// SPDX-License-Identifier: Apache-2.0

/** Channel addresses and tags, and the channel status that clients see. */
package io.verbus.driver.channel;
