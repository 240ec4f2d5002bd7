// SPDX-License-Identifier: Apache-2.0

package io.verbus.directory;

import io.verbus.BusException;

/**
 * Thrown when the permissions of a driver's directory or file keep this process from opening or
 * trusting it. Retrying is useless.
 */
public final class UntrustedException extends BusException {
    private static final long serialVersionUID = 1L;

    UntrustedException(String message) {
        super(message);
    }

    UntrustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
