// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

/** Access rights of the driver directory's group. */
public enum DirectoryAccess {
    /** Members may be clients: they read and write everything that the driver shares. */
    CLIENTS,
    /** Members may read counters, errors, losses, and the messages in logs. */
    READERS
}
