// SPDX-License-Identifier: Apache-2.0

/** What an operator sees of a driver: counters, and errors on their way to the error log. */
package io.verbus.driver.status;
