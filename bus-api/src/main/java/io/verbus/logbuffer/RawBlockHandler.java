// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.channels.FileChannel;

/** Takes whole frames as they lie in a log's file, so that they can be sent from there. */
@FunctionalInterface
public interface RawBlockHandler {
    /**
     * A block of frames of one term. Called on the polling thread.
     *
     * @param channel of the log's file, open for reading; valid only during the call. Of a log on
     *     huge pages the kernel may refuse to send.
     * @param fileOffset of the first frame in the file.
     * @param buffer that holds the block; the log itself, valid only during the call.
     * @param offset of the first frame in the buffer, which is its offset in the term.
     * @param length of the block in bytes, a multiple of 32.
     * @param sessionId of the publisher.
     * @param termId of the term.
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
