// SPDX-License-Identifier: Apache-2.0

/** What clients make the driver hold: counted for each client and for all, and bounded. */
package io.verbus.driver.share;
