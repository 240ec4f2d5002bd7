// SPDX-License-Identifier: Apache-2.0

/** Name resolution among drivers: each tells others its name and address, and those it was told. */
package io.verbus.driver.resolver;
