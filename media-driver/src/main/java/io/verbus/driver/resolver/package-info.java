// SPDX-License-Identifier: Apache-2.0

/**
 * Name resolution among drivers: each announces its own name and address, and those it has learned.
 */
package io.verbus.driver.resolver;
