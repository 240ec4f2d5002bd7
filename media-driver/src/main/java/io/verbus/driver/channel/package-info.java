// SPDX-License-Identifier: Apache-2.0

/** What channels name, and what clients are told of them. */
package io.verbus.driver.channel;
