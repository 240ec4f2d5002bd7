// SPDX-License-Identifier: Apache-2.0

/** What a client writes to its driver, and what it reads of it: commands and events. */
package io.verbus.control;
