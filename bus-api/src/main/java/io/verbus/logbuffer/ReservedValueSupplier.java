// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Computes the reserved value of a frame once the rest of the frame is written. */
@FunctionalInterface
public interface ReservedValueSupplier {
    /**
     * Returns the reserved value of one frame; called for each fragment of a message. Called on the
     * offering thread between claim and commit, so later messages are delivered only after this
     * method has returned. If this method throws, the rest of the message becomes padding, and the
     * offer throws the same exception.
     *
     * @param termBuffer buffer with the frame. This is the log itself, valid only during the call.
     * @param termOffset offset of the frame in the buffer; its payload starts 32 bytes later.
     * @param frameLength length of header and payload in bytes.
     * @return value to store in the frame's header.
     */
    long get(DirectBuffer termBuffer, int termOffset, int frameLength);
}
