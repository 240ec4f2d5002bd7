// SPDX-License-Identifier: Apache-2.0

/** Work that is too slow for an agent: sliced work on logs, indivisible calls, and lookups. */
package io.verbus.driver.background;
