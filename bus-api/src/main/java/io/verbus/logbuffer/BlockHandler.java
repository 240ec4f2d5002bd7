// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Handles blocks of whole frames, header and payload, in place in a log. */
@FunctionalInterface
public interface BlockHandler {
    /**
     * Called on the polling thread with a block of contiguous frames of one term.
     *
     * @param buffer buffer with the block. This is the log itself, valid only during the call.
     * @param offset offset of the first frame, both in the buffer and in the term.
     * @param length length of the block in bytes, a multiple of 32.
     * @param sessionId session id of the publisher.
     * @param termId id of the term.
     */
    void onBlock(DirectBuffer buffer, int offset, int length, int sessionId, int termId);
}
