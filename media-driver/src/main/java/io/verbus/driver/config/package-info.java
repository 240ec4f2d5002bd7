// SPDX-License-Identifier: Apache-2.0

/** Options of a driver, their sources and their valid values. */
package io.verbus.driver.config;
