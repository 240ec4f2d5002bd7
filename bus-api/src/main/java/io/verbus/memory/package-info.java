// SPDX-License-Identifier: Apache-2.0

/** Memory that a client shares with its driver, and lets go of while others may still use it. */
package io.verbus.memory;
