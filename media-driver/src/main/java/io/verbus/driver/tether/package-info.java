// SPDX-License-Identifier: Apache-2.0

/** Untethered subscribers, which do not hold their streams back. */
package io.verbus.driver.tether;
