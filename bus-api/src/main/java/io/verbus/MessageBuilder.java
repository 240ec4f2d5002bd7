// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.LogLayout;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * Assembles one message from its fragments. The fragments of a message are contiguous in the log,
 * so the message is dropped after a gap.
 */
final class MessageBuilder {
    /** Maximum length of a message, over all term lengths. */
    static final int MAX_LENGTH = LogLayout.maxMessageLength(LogLayout.MAX_TERM_LENGTH);

    private static final int MIN_CAPACITY = 4096;
    private static final long NONE = -1;

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(MIN_CAPACITY);
    private final Header message = new Header();
    private Header stream;
    private int length;
    private long nextPosition = NONE;

    /**
     * Adds a fragment of a fragmented message.
     *
     * @return whether the message is now complete.
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

    /** Returns whether there is an incomplete message that can still be completed. */
    boolean isBegun() {
        return nextPosition != NONE && !stream.isStreamClosed();
    }

    /** Returns the buffer with the message, which starts at index 0. */
    DirectBuffer buffer() {
        return buffer;
    }

    /** Returns the length of the complete message. */
    int length() {
        return length;
    }

    /** Returns the header of the complete message. */
    Header header() {
        return message;
    }

    /** Returns the size of the buffer in bytes. */
    int capacity() {
        return buffer.capacity();
    }

    /** Drops the incomplete message. */
    void clear() {
        nextPosition = NONE;
        stream = null;
    }
}
