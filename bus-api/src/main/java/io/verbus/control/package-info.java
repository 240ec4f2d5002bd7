// SPDX-License-Identifier: Apache-2.0

/**
 * The connection of a client to its driver: finding the driver, sending commands and receiving
 * events.
 */
package io.verbus.control;
