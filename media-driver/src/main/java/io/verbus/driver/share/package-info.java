// SPDX-License-Identifier: Apache-2.0

/** Counts and limits the driver resources that clients use. */
package io.verbus.driver.share;
