// SPDX-License-Identifier: Apache-2.0

/** Clients, and the execution of their commands. */
package io.verbus.driver.client;
