// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * Reports misuse of the API, if {@link MisuseChecks#ON}. Thrown by the misused call. If a handler
 * throws it, the poll rethrows it to its caller instead of passing it to the error handler.
 */
public final class MisuseException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param message what was misused, and the remedy.
     */
    public MisuseException(String message) {
        super(message);
    }
}
