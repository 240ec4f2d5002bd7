// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/** Takes whole frames as they lie in a log, header and payload, one behind the other. */
@FunctionalInterface
public interface BlockHandler {
    /**
     * A block of frames of one term. Called on the polling thread.
     *
     * @param buffer that holds the block; the log itself, valid only during the call.
     * @param offset of the first frame in the buffer, which is its offset in the term.
     * @param length of the block in bytes, a multiple of 32.
     * @param sessionId of the publisher.
     * @param termId of the term.
     */
    void onBlock(DirectBuffer buffer, int offset, int length, int sessionId, int termId);
}
