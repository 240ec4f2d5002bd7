// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;

/** A failed command, with the error code for its client. */
public final class CommandException extends BusException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    public CommandException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    public CommandException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public ErrorCode code() {
        return code;
    }
}
