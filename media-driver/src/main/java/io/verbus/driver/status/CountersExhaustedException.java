// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;

/** Thrown if no counter is left, or none that the requested use may take. */
public final class CountersExhaustedException extends BusException {
    private static final long serialVersionUID = 1L;

    CountersExhaustedException(String message, Throwable cause) {
        super(message, cause);
    }
}
