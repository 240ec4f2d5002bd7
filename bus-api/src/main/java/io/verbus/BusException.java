// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Something was refused or has failed. The message is one sentence with cause and remedy. */
public class BusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message cause and remedy.
     */
    public BusException(String message) {
        super(message);
    }

    /**
     * @param message cause and remedy.
     * @param cause what was thrown below.
     */
    public BusException(String message, Throwable cause) {
        super(message, cause);
    }
}
