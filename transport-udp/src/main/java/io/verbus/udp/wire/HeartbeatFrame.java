// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;

/** Heartbeat: a data frame of length 0 with the position of a stream, and whether it ends there. */
public final class HeartbeatFrame {
    /** Length of the frame on the wire. */
    public static final int LENGTH = FrameHeader.LENGTH;

    private HeartbeatFrame() {}

    /**
     * Writes a frame at the start of a buffer.
     *
     * @param end flags for the end of the stream, {@link Frames#FLAG_END_OF_STREAM} and {@link
     *     Frames#FLAG_REVOKED}, or 0.
     */
    public static void write(
            UnsafeBuffer frame, int end, int sessionId, int streamId, int termId, int termOffset) {
        Frames.common(frame, 0, FrameHeader.FLAGS_UNFRAGMENTED | end, FrameHeader.TYPE_DATA);
        frame.putInt(FrameHeader.TERM_OFFSET, termOffset);
        frame.putInt(FrameHeader.SESSION_ID, sessionId);
        frame.putInt(FrameHeader.STREAM_ID, streamId);
        frame.putInt(FrameHeader.TERM_ID, termId);
        frame.putLong(FrameHeader.RESERVED_VALUE, 0);
    }
}
