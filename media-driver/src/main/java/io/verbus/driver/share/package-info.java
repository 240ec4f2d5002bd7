// SPDX-License-Identifier: Apache-2.0

/** Counts and limits the resources that clients use in the driver. */
package io.verbus.driver.share;
