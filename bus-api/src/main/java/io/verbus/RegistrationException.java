// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.ErrorCode;

/** Thrown when the media driver rejects a command, such as one that adds a publication. */
public class RegistrationException extends BusException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    /**
     * Creates an exception.
     *
     * @param code error code in the driver's answer.
     * @param message cause and remedy, in the driver's words.
     */
    public RegistrationException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    /** Returns the error code in the driver's answer. */
    public ErrorCode code() {
        return code;
    }
}
