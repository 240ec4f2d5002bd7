// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;

/** A command that failed, with the code that its client is told. */
final class CommandException extends BusException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    CommandException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    CommandException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    ErrorCode code() {
        return code;
    }
}
