// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

/** The driver has taken a claim away before it was committed: the message is not sent. */
public final class ClaimLostException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * @param length of the claim in bytes.
     */
    ClaimLostException(int length) {
        super(
                "the message of "
                        + length
                        + " bytes is not sent, because its claim was open for longer than the media"
                        + " driver's unblock timeout, or its publication has ended, and the driver"
                        + " has made padding of it: claim again, and commit sooner");
    }
}
