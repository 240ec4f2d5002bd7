// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

/** Thrown when the values of a channel contradict each other, or do not allow how it is used. */
public final class InvalidChannelException extends BusException {
    private static final long serialVersionUID = 1L;

    InvalidChannelException(String message) {
        super(message);
    }
}
