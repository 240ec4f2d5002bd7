// SPDX-License-Identifier: Apache-2.0

/** Work that takes too long for an agent: sliced work on logs, indivisible calls, look-ups. */
package io.verbus.driver.background;
