// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/** A call of the fabric failed. The message is one sentence that names the cause and the remedy. */
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
     * @param cause what was thrown below.
     */
    public FabricException(String message, Throwable cause) {
        super(message, cause);
    }
}
