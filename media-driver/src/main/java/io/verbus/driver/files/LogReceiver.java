// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.driver.command.CommandException;
import io.verbus.logbuffer.LogBuffers;

/** Takes a log that was asked for, when it stands. Conductor's thread. */
public interface LogReceiver {
    /** The log stands: its space is taken, and it is ready to append. */
    void onLog(LogBuffers log);

    /** The log cannot be made; nothing is left of it. */
    void onFailure(CommandException failure);
}
