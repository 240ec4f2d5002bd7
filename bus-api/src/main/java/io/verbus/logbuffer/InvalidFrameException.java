// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

/** Thrown when a log holds an invalid frame: its writer is faulty or hostile. */
public final class InvalidFrameException extends BusException {
    private static final long serialVersionUID = 1L;

    private final long position;

    /** First word of the frame, as read. */
    private final long word;

    /**
     * @param position position of the frame.
     * @param word first eight bytes of the frame, as read.
     * @param problem description of the defect, in words that follow "the frame".
     */
    InvalidFrameException(long position, long word, String problem) {
        super(
                "the frame at position "
                        + position
                        + " "
                        + problem
                        + ": the publisher or the peer driver is faulty, so close the stream");
        this.position = position;
        this.word = word;
    }

    /** Returns the position of the frame in the stream. */
    public long position() {
        return position;
    }

    /** Returns the frame length that was read. */
    public int frameLength() {
        return FrameHeader.length(word);
    }
}
