// SPDX-License-Identifier: Apache-2.0

/**
 * How a client finds its driver, what it writes to it, and what it reads of it: commands and
 * events.
 */
package io.verbus.control;
