// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.DirectBuffer;

/**
 * The header of a delivered fragment, or of a message that was reassembled from fragments. A poll
 * reuses one object for all fragments; its values are valid only during the call.
 *
 * <p>Only the reserved value is read from the frame. The reader has checked all other values or
 * knows them from the log, so a faulty writer cannot forge them.
 */
public final class Header {
    private LogSpec spec;
    private int bitsToShift;
    private DirectBuffer buffer;
    private int termOffset;
    private long word;
    private long framePosition;

    // Set only for a reassembled message, for which the buffer is null.
    private long reservedValue;
    private int extent;

    // Written once by the thread that closes the reader; read by the assemblers of the reader's
    // fragments.
    private volatile boolean isStreamClosed;

    /** Creates a header for reassembled messages; see {@link #begin}. */
    public Header() {}

    /**
     * Creates a header for a log.
     *
     * @param spec spec of the log that is read.
     */
    public Header(LogSpec spec) {
        this.spec = spec;
        bitsToShift = LogLayout.positionBitsToShift(spec.termLength());
    }

    /**
     * Sets the frame.
     *
     * @param term term with the frame.
     * @param termOffset offset of the frame in the term.
     * @param word first word of the frame, already checked.
     * @param framePosition position of the frame's first byte.
     */
    public void wrap(DirectBuffer term, int termOffset, long word, long framePosition) {
        // Stored only if it changes, because storing a reference dirties a GC card, and the card's
        // cache line also holds cards of other threads' objects.
        if (buffer != term) {
            buffer = term;
        }
        this.termOffset = termOffset;
        this.word = word;
        this.framePosition = framePosition;
    }

    /**
     * Starts a reassembled message, which takes its position, session and reserved value from its
     * first fragment.
     *
     * @param first header of the first fragment.
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
     * Completes a reassembled message. This header then has the flags and the length of an
     * unfragmented message, and the position after the last fragment.
     *
     * @param last header of the last fragment.
     * @param length length of the message in bytes.
     */
    public void complete(Header last, int length) {
        word =
                FrameHeader.word(
                        FrameHeader.LENGTH + length,
                        FrameHeader.flags(word) | last.flags(),
                        FrameHeader.TYPE_DATA);
        extent = (int) (last.position() - framePosition);
    }

    /** Marks that no more fragments of the stream will be delivered. Thread-safe. */
    void closeStream() {
        isStreamClosed = true;
    }

    /** Returns whether the image that delivers this header's fragments is closed. Thread-safe. */
    public boolean isStreamClosed() {
        return isStreamClosed;
    }

    /** Returns the stream's position after this frame, or after the last frame of the message. */
    public long position() {
        return framePosition + (extent == 0 ? FrameHeader.align(frameLength()) : extent);
    }

    /** Returns the publisher's session id. */
    public int sessionId() {
        return spec.sessionId();
    }

    /** Returns the stream id. */
    public int streamId() {
        return spec.streamId();
    }

    /** Returns the id of the stream's first term. */
    public int initialTermId() {
        return spec.initialTermId();
    }

    /** Returns the id of the term with the frame, or with the first frame of the message. */
    public int termId() {
        return LogLayout.termId(framePosition, bitsToShift, spec.initialTermId());
    }

    /** Returns the term offset of the frame, or of the first frame of the message. */
    public int termOffset() {
        return termOffset;
    }

    /**
     * Returns the flags of the frame: {@link FrameHeader#FLAG_BEGIN}, {@link FrameHeader#FLAG_END}.
     */
    public int flags() {
        return FrameHeader.flags(word);
    }

    /**
     * Returns the length of header and payload in bytes. For a reassembled message, this is the
     * length as if it had been sent in one frame.
     */
    public int frameLength() {
        return FrameHeader.length(word);
    }

    /** Returns the reserved value that the publisher has set. */
    public long reservedValue() {
        return buffer == null
                ? reservedValue
                : buffer.getLong(termOffset + FrameHeader.RESERVED_VALUE);
    }
}
