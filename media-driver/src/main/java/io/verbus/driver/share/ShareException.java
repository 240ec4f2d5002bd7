// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import io.verbus.BusException;

/** A client, or all clients together, would have more than their share. */
public final class ShareException extends BusException {
    private static final long serialVersionUID = 1L;

    private final Share share;

    ShareException(Share share, String message) {
        super(message);
        this.share = share;
    }

    /** What there would be too much of. */
    public Share share() {
        return share;
    }
}
