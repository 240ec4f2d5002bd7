// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.driver.command.CommandException;
import io.verbus.logbuffer.LogBuffers;

/** Receives a requested log once it is created. Used by the conductor's thread. */
public interface LogReceiver {
    /** Receives the log, which is allocated and ready for appends. */
    void onLog(LogBuffers log);

    /** Handles a failure to create the log, of which nothing remains. */
    void onFailure(CommandException failure);
}
