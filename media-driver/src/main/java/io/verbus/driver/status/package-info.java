// SPDX-License-Identifier: Apache-2.0

/** A driver's counters and errors, for operators. */
package io.verbus.driver.status;
