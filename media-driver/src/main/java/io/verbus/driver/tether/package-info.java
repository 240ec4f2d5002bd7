// SPDX-License-Identifier: Apache-2.0

/** Subscribers that do not hold their streams back. */
package io.verbus.driver.tether;
