// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

/** Thrown when the driver has revoked a claim before its commit; the message is not sent. */
public final class ClaimLostException extends BusException {
    private static final long serialVersionUID = 1L;

    /**
     * @param length length of the claim in bytes.
     */
    ClaimLostException(int length) {
        super(
                "the message of "
                        + length
                        + " bytes is not sent, because its claim was open for longer than the media"
                        + " driver's unblock timeout, or its publication has ended, and the driver"
                        + " has turned it into padding: claim again, and commit sooner");
    }
}
