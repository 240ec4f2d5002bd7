// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/**
 * The media driver is gone, or has given this client up: the bus is of no more use, unless it
 * connects to the next one.
 */
public class DriverLostException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message cause and remedy.
     */
    public DriverLostException(String message) {
        super(message);
    }
}
