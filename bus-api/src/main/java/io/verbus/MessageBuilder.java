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

    private static final int MIN_CAPACITY = 4096;
    private static final long NONE = -1;

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(MIN_CAPACITY);
    private final Header message = new Header();
    private Header stream;
    private int length;
    private long nextPosition = NONE;

    /**
     * Adds a fragment that is not a whole message.
     *
     * @return whether it has completed a message.
     */
    boolean add(DirectBuffer source, int offset, int fragmentLength, Header header, int flags) {
        if ((flags & FrameHeader.FLAG_BEGIN) != 0) {
            length = 0;
            message.begin(header);
            stream = header;
        } else if (header.position() - FrameHeader.align(header.frameLength()) != nextPosition) {
            nextPosition = NONE;
            return false;
        }
        if (fragmentLength > MAX_LENGTH - length) {
            nextPosition = NONE;
            return false;
        }
        buffer.putBytes(length, source, offset, fragmentLength);
        length += fragmentLength;
        if ((flags & FrameHeader.FLAG_END) == 0) {
            nextPosition = header.position();
            return false;
        }
        nextPosition = NONE;
        message.complete(header, length);
        return true;
    }

    /** Whether a message was begun that can be completed. */
    boolean isBegun() {
        return nextPosition != NONE && !stream.isStreamClosed();
    }

    /** Holds the message, from index 0 on. */
    DirectBuffer buffer() {
        return buffer;
    }

    /** Length of the completed message. */
    int length() {
        return length;
    }

    /** Header of the completed message. */
    Header header() {
        return message;
    }

    /** Bytes that the builder takes. */
    int capacity() {
        return buffer.capacity();
    }

    /** Forgets what was begun. */
    void clear() {
        nextPosition = NONE;
        stream = null;
    }
}
