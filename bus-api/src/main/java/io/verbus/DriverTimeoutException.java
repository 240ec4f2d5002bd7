// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** The media driver has not answered in time. */
public class DriverTimeoutException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message cause and remedy.
     */
    public DriverTimeoutException(String message) {
        super(message);
    }

    /**
     * @param message cause and remedy.
     * @param cause what was found last.
     */
    public DriverTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
