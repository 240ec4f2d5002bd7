// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Thrown when the media driver has not answered in time. */
public class DriverTimeoutException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message cause and remedy.
     */
    public DriverTimeoutException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message cause and remedy.
     * @param cause failure of the last attempt to reach the driver.
     */
    public DriverTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
