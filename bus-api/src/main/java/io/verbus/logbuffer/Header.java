// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/**
 * Header of the fragment that a handler is called with. One object is reused for all fragments of a
 * poll; a value is valid only during the call.
 *
 * <p>Only the reserved value is read from the frame; all else is what the reader checked, or knows
 * of the log, so that a broken writer cannot lie about it.
 */
public final class Header {
    private final LogSpec spec;
    private final int bitsToShift;
    private DirectBuffer buffer;
    private int termOffset;
    private long word;
    private long framePosition;

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

    /** Position of the stream behind this frame. */
    public long position() {
        return framePosition + FrameHeader.align(frameLength());
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

    /** Id of the term that holds the frame. */
    public int termId() {
        return LogLayout.termId(framePosition, bitsToShift, spec.initialTermId());
    }

    /** Offset of the frame in its term. */
    public int termOffset() {
        return termOffset;
    }

    /** Flags of the frame: {@link FrameHeader#FLAG_BEGIN}, {@link FrameHeader#FLAG_END}. */
    public int flags() {
        return FrameHeader.flags(word);
    }

    /** Bytes of header and payload. */
    public int frameLength() {
        return FrameHeader.length(word);
    }

    /** What the publisher put into the header for its own use. */
    public long reservedValue() {
        return buffer.getLong(termOffset + FrameHeader.RESERVED_VALUE);
    }
}
