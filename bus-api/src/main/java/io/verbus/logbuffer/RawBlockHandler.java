// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.channels.FileChannel;

/**
 * Handles blocks of whole frames together with the log's file, from which they can be transferred.
 */
@FunctionalInterface
public interface RawBlockHandler {
    /**
     * Called on the polling thread with a block of contiguous frames of one term.
     *
     * @param channel channel of the log's file, open for reading, valid only during the call. The
     *     kernel may refuse to transfer from a file on huge pages.
     * @param fileOffset offset of the first frame in the file.
     * @param buffer buffer with the block. This is the log itself, valid only during the call.
     * @param offset offset of the first frame, both in the buffer and in the term.
     * @param length length of the block in bytes, a multiple of 32.
     * @param sessionId session id of the publisher.
     * @param termId id of the term.
     */
    void onBlock(
            FileChannel channel,
            long fileOffset,
            UnsafeBuffer buffer,
            int offset,
            int length,
            int sessionId,
            int termId);
}
