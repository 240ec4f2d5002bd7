// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import io.verbus.BusException;

/** Thrown if a client, or all clients together, would exceed their share. */
public final class ShareException extends BusException {
    private static final long serialVersionUID = 1L;

    private final Share share;

    ShareException(Share share, String message) {
        super(message);
        this.share = share;
    }

    /** Returns the exceeded share. */
    public Share share() {
        return share;
    }
}
