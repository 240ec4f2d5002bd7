// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

/** What members of the driver directory's group may do. */
public enum DirectoryAccess {
    /** Be clients: read and write all that the driver shares. */
    CLIENTS,
    /** Read: counters, errors, losses, and the messages in logs. */
    READERS
}
