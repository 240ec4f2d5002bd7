// SPDX-License-Identifier: Apache-2.0

/** Threads, clocks and duty cycles of the driver's agents. */
package io.verbus.driver.agent;
