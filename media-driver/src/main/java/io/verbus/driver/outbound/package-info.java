// SPDX-License-Identifier: Apache-2.0

/** Publications as their transports send them. */
package io.verbus.driver.outbound;
