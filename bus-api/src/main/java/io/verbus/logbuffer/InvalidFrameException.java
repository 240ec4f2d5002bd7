// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

/** A log holds something that no appender writes: its writer is broken or hostile. */
public final class InvalidFrameException extends BusException {
    private static final long serialVersionUID = 1L;

    /** Position of the frame. */
    private final long position;

    /** First word of the frame as it was read. */
    private final long word;

    /**
     * @param position of the frame.
     * @param word first eight bytes of the frame, as they were read.
     * @param problem in words.
     */
    InvalidFrameException(long position, long word, String problem) {
        super(
                "the frame at position "
                        + position
                        + " "
                        + problem
                        + ": close the stream, its publisher or the peer driver is broken");
        this.position = position;
        this.word = word;
    }

    /** Position of the frame in the stream. */
    public long position() {
        return position;
    }

    /** Frame length that was read. */
    public int frameLength() {
        return FrameHeader.length(word);
    }
}
