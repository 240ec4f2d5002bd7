// SPDX-License-Identifier: Apache-2.0

/** Subscriptions, and the subscribers of each log that they read. */
package io.verbus.driver.subscription;
