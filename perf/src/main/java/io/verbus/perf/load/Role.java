// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Role of a process in a run. */
public enum Role {
    /** Sends on one thread and reflects on another. */
    BOTH,
    /** Sends, and receives the echoes. */
    INITIATOR,
    /** Reflects until its standard input ends. */
    REFLECTOR,
    /** Runs only a driver, until its standard input ends. */
    DRIVER
}
