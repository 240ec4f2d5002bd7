// SPDX-License-Identifier: Apache-2.0

/** Publications that are sent over several transports. */
package io.verbus.driver.legs;
