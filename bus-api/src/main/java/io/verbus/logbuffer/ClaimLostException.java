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
                        + " bytes was not sent, because the media driver turned its claim into"
                        + " padding: the claim was open for longer than the driver's unblock"
                        + " timeout, or the publication has ended; claim again, and commit sooner");
    }
}
