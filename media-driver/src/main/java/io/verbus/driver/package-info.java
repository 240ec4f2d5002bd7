// SPDX-License-Identifier: Apache-2.0

/**
 * The media driver: its agents, what they register, and how it is configured and launched.
 *
 * <p>The conductor owns every registry ({@link io.verbus.driver.Clients}, {@link
 * io.verbus.driver.Publications}, {@link io.verbus.driver.Subscriptions}, {@link
 * io.verbus.driver.Images}, {@link io.verbus.driver.Transports}); sender and receiver only call the
 * transports. What the other agents may touch of an object says so where it is declared.
 */
package io.verbus.driver;
