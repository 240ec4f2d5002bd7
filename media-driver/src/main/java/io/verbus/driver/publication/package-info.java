// SPDX-License-Identifier: Apache-2.0

/** Publications of clients, and the clients that hold them. */
package io.verbus.driver.publication;
