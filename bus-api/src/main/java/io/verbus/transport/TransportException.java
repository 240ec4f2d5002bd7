// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.BusException;

/** A transport cannot do what was asked. The message is one sentence with cause and remedy. */
public class TransportException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message cause and remedy.
     */
    public TransportException(String message) {
        super(message);
    }

    /**
     * @param message cause and remedy.
     * @param cause what was thrown below.
     */
    public TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
