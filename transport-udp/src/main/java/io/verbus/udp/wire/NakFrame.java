// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * NAK: a receiver requests a missing range of a term.
 *
 * <pre>
 *   8  session id int32      20  term offset int32
 *  12  stream id int32       24  length int32, bytes
 *  16  term id int32
 * </pre>
 */
public final class NakFrame {
    /** Length of the frame. */
    public static final int LENGTH = 28;

    private NakFrame() {}

    /** Writes a frame at the start of a buffer. */
    public static void write(
            UnsafeBuffer frame,
            int sessionId,
            int streamId,
            int termId,
            int termOffset,
            int length) {
        Frames.common(frame, LENGTH, 0, Frames.NAK);
        frame.putInt(8, sessionId);
        frame.putInt(12, streamId);
        frame.putInt(16, termId);
        frame.putInt(20, termOffset);
        frame.putInt(24, length);
    }

    /** Returns the session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Returns the stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /** Returns the term id of the range. */
    public static int termId(UnsafeBuffer frame) {
        return frame.getInt(16);
    }

    /** Returns the term offset at which the range starts. */
    public static int termOffset(UnsafeBuffer frame) {
        return frame.getInt(20);
    }

    /** Returns the length of the range in bytes. */
    public static int length(UnsafeBuffer frame) {
        return frame.getInt(24);
    }
}
