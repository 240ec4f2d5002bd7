// SPDX-License-Identifier: Apache-2.0

/**
 * The media driver: its agents and registries, and how it is configured and launched.
 *
 * <p>The conductor owns every registry ({@link io.verbus.driver.Clients}, {@link
 * io.verbus.driver.Publications}, {@link io.verbus.driver.Subscriptions}, {@link
 * io.verbus.driver.Images}, {@link io.verbus.driver.Transports}); sender and receiver only call the
 * transports. Each declaration notes what other agents may access.
 */
package io.verbus.driver;
