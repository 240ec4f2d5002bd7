// SPDX-License-Identifier: Apache-2.0

/** Publications sent over several transports at once. */
package io.verbus.driver.legs;
