// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.LogLayout;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * One message that is being put together of fragments. The fragments of a message follow each other
 * in the log without a gap; what does not is dropped, back to the message's beginning.
 */
final class MessageBuilder {
    /** No message is longer, whatever its term length. */
    static final int MAX_LENGTH = LogLayout.maxMessageLength(LogLayout.MAX_TERM_LENGTH);

    private static final long NONE = -1;

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(4096);
    private int length;
    private long nextPosition = NONE;

    /**
     * Adds a fragment that is not a whole message.
     *
     * @return whether it has completed a message.
     */
    boolean add(DirectBuffer source, int offset, int fragmentLength, Header header, int flags) {
        long end = header.position();
        if ((flags & FrameHeader.FLAG_BEGIN) != 0) {
            length = 0;
        } else if (end - FrameHeader.align(header.frameLength()) != nextPosition) {
            nextPosition = NONE;
            return false;
        }
        if (fragmentLength > MAX_LENGTH - length) {
            nextPosition = NONE;
            return false;
        }
        buffer.putBytes(length, source, offset, fragmentLength);
        length += fragmentLength;
        boolean isComplete = (flags & FrameHeader.FLAG_END) != 0;
        nextPosition = isComplete ? NONE : end;
        return isComplete;
    }

    /** Holds the message, from index 0 on. */
    DirectBuffer buffer() {
        return buffer;
    }

    /** Length of the completed message, which is over with the next fragment. */
    int take() {
        int taken = length;
        length = 0;
        return taken;
    }
}
