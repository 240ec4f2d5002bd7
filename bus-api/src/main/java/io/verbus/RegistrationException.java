// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.ErrorCode;

/** The media driver refuses a publication or subscription. */
public class RegistrationException extends BusException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    /**
     * @param code of the driver's answer.
     * @param message cause and remedy, in the driver's words.
     */
    public RegistrationException(ErrorCode code, String message) {
        super(message);
        this.code = code;
    }

    /** Kind of the failure. */
    public ErrorCode code() {
        return code;
    }
}
