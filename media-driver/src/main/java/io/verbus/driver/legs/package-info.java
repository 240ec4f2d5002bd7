// SPDX-License-Identifier: Apache-2.0

/** A publication on its way over several transports at once. */
package io.verbus.driver.legs;
