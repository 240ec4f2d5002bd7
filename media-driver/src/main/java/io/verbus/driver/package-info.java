// SPDX-License-Identifier: Apache-2.0

/**
 * The media driver: its agents, its registries, and its launcher.
 *
 * <p>The conductor owns all registries ({@link io.verbus.driver.Clients}, {@link
 * io.verbus.driver.Publications}, {@link io.verbus.driver.Subscriptions}, {@link
 * io.verbus.driver.Images}, {@link io.verbus.driver.Transports}); the sender and the receiver only
 * call the transports. Each declaration states what other agents may access.
 */
package io.verbus.driver;
