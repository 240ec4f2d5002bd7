// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** What a process does in a run. */
public enum Role {
    /** Sends on one thread and reflects on another. */
    BOTH,
    /** Sends. */
    INITIATOR,
    /** Reflects until its standard input ends. */
    REFLECTOR,
    /** Is a driver, and no end, until its standard input ends. */
    DRIVER
}
