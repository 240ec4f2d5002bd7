// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * Reports misuse of the API, if {@link MisuseChecks#ON}. It is thrown at the call, and a poll whose
 * handler throws it passes it on to its own caller instead of to the error handler.
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
