// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

/** A channel asks for what Aeron has and Verbus has not yet. */
public final class UnsupportedChannelException extends BusException {
    private static final long serialVersionUID = 1L;

    UnsupportedChannelException(String message) {
        super(message);
    }
}
