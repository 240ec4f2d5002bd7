// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import io.verbus.transport.TransportException;

/** Thrown if a system call on a socket fails. The message is one sentence with cause and remedy. */
public final class SocketException extends TransportException {
    private static final long serialVersionUID = 1L;

    SocketException(String message) {
        super(message);
    }
}
