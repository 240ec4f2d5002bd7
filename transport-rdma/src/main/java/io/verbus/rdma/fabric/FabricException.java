// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Thrown when a call of the fabric fails. The message is one sentence with the cause and the
 * remedy.
 */
public class FabricException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message cause and remedy.
     */
    public FabricException(String message) {
        super(message);
    }

    /**
     * @param message cause and remedy.
     * @param cause underlying exception.
     */
    public FabricException(String message, Throwable cause) {
        super(message, cause);
    }
}
