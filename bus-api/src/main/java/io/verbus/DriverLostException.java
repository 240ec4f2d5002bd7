// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/**
 * Thrown or reported when the media driver is gone or has dropped this client. Unless the bus
 * reconnects, it can no longer be used.
 */
public class DriverLostException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message cause and remedy.
     */
    public DriverLostException(String message) {
        super(message);
    }
}
