// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/**
 * Header of the fragment that a handler is called with, or of the message that was put together of
 * fragments. One object is reused for all fragments of a poll; a value is valid only during the
 * call.
 *
 * <p>Only the reserved value is read from the frame; all else is what the reader checked, or knows
 * of the log, so that a broken writer cannot lie about it.
 */
public final class Header {
    private LogSpec spec;
    private int bitsToShift;
    private DirectBuffer buffer;
    private int termOffset;
    private long word;
    private long framePosition;

    // Of a message that was put together of fragments, which has no place in a buffer.
    private long reservedValue;
    private int extent;

    // Written once by the thread that closes the reader, read by assemblers of its fragments.
    private volatile boolean isStreamClosed;

    /** The header of messages that are put together of fragments, see {@link #begin}. */
    public Header() {}

    /**
     * @param spec of the log that is read.
     */
    public Header(LogSpec spec) {
        this.spec = spec;
        bitsToShift = LogLayout.positionBitsToShift(spec.termLength());
    }

    /**
     * Sets the frame.
     *
     * @param term that holds the frame.
     * @param termOffset of the frame.
     * @param word first word of the frame, checked.
     * @param framePosition of the frame's first byte.
     */
    public void wrap(DirectBuffer term, int termOffset, long word, long framePosition) {
        // Storing a reference marks a card, and cards of objects of other threads share its line.
        if (buffer != term) {
            buffer = term;
        }
        this.termOffset = termOffset;
        this.word = word;
        this.framePosition = framePosition;
    }

    /**
     * Begins a message that is put together of fragments: its place, session and reserved value are
     * those of its first fragment.
     *
     * @param first header of that fragment.
     */
    public void begin(Header first) {
        if (spec != first.spec) {
            spec = first.spec;
            bitsToShift = first.bitsToShift;
        }
        termOffset = first.termOffset;
        word = first.word;
        framePosition = first.framePosition;
        reservedValue = first.reservedValue();
    }

    /**
     * Completes a message that is put together of fragments: its flags and its length are those of
     * a message that was never cut, and its position is behind its last fragment.
     *
     * @param last header of the last fragment.
     * @param length of the message in bytes.
     */
    public void complete(Header last, int length) {
        word =
                FrameHeader.word(
                        FrameHeader.LENGTH + length,
                        FrameHeader.flags(word) | last.flags(),
                        FrameHeader.TYPE_DATA);
        extent = (int) (last.position() - framePosition);
    }

    /** No more fragments of the stream will come from where this header came from. Any thread. */
    void closeStream() {
        isStreamClosed = true;
    }

    /** Whether the image that this header's fragments come from is closed. Any thread. */
    public boolean isStreamClosed() {
        return isStreamClosed;
    }

    /** Position of the stream behind this frame, or behind the message's last one. */
    public long position() {
        return framePosition + (extent == 0 ? FrameHeader.align(frameLength()) : extent);
    }

    /** Session id of the publisher. */
    public int sessionId() {
        return spec.sessionId();
    }

    /** Stream id. */
    public int streamId() {
        return spec.streamId();
    }

    /** Id of the stream's first term. */
    public int initialTermId() {
        return spec.initialTermId();
    }

    /** Id of the term that holds the frame, or the message's first one. */
    public int termId() {
        return LogLayout.termId(framePosition, bitsToShift, spec.initialTermId());
    }

    /** Offset in its term of the frame, or of the message's first one. */
    public int termOffset() {
        return termOffset;
    }

    /** Flags of the frame: {@link FrameHeader#FLAG_BEGIN}, {@link FrameHeader#FLAG_END}. */
    public int flags() {
        return FrameHeader.flags(word);
    }

    /** Bytes of header and payload; of a message, as if it had been sent in one frame. */
    public int frameLength() {
        return FrameHeader.length(word);
    }

    /** What the publisher put into the header for its own use. */
    public long reservedValue() {
        return buffer == null
                ? reservedValue
                : buffer.getLong(termOffset + FrameHeader.RESERVED_VALUE);
    }
}
