// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

/** Thrown when a channel requires a feature of Aeron that Verbus does not support. */
public final class UnsupportedChannelException extends BusException {
    private static final long serialVersionUID = 1L;

    UnsupportedChannelException(String message) {
        super(message);
    }
}
