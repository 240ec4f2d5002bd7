// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Chooses the reserved value of a frame once the rest of the frame is written. */
@FunctionalInterface
public interface ReservedValueSupplier {
    /**
     * The value for one frame: of a message in fragments, asked for each. Called on the offering
     * thread, between claim and commit: what is published later waits for it. If it throws, the
     * rest of the message becomes padding, and the offer throws the same.
     *
     * @param termBuffer that holds the frame; the log itself, valid only during the call.
     * @param termOffset of the frame in the buffer; its payload begins 32 bytes later.
     * @param frameLength of header and payload in bytes.
     * @return what subscribers find in the frame's header.
     */
    long get(DirectBuffer termBuffer, int termOffset, int frameLength);
}
