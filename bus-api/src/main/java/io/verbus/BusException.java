// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/**
 * Thrown when an operation is rejected or fails. The message is one sentence that gives the cause
 * and the remedy.
 */
public class BusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message cause and remedy.
     */
    public BusException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param message cause and remedy.
     * @param cause underlying exception.
     */
    public BusException(String message, Throwable cause) {
        super(message, cause);
    }
}
