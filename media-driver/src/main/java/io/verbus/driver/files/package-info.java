// SPDX-License-Identifier: Apache-2.0

/** The files in a driver directory: their creation, population, lingering and removal. */
package io.verbus.driver.files;
