// SPDX-License-Identifier: Apache-2.0

/** The transports, and publications as they send them. */
package io.verbus.driver.transports;
