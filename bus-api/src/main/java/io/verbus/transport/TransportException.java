// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.BusException;

/**
 * Thrown when a transport cannot do what was requested. The message is one sentence with cause and
 * remedy.
 */
public class TransportException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message cause and remedy.
     */
    public TransportException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message cause and remedy.
     * @param cause underlying exception.
     */
    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
