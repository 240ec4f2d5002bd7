// SPDX-License-Identifier: Apache-2.0

/**
 * The media driver: its launcher, its agents, and what they share. Applications use {@link
 * io.verbus.driver.MediaDriver}, {@code io.verbus.driver.config} and {@code
 * io.verbus.driver.testing}; all other packages are internal.
 *
 * <p>The conductor owns all registries; the sender and the receiver only call the transports. Each
 * declaration states what other agents may access.
 */
package io.verbus.driver;
