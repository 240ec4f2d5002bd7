// SPDX-License-Identifier: Apache-2.0

/** Memory that a client shares with its driver, and its release while calls may still access it. */
package io.verbus.memory;
