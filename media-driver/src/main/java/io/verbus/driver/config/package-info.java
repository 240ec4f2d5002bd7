// SPDX-License-Identifier: Apache-2.0

/** Options of a driver: what there is, where a value comes from, and what is valid. */
package io.verbus.driver.config;
