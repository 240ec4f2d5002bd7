// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Round-trip time measurement: a receiver sends its time, and the sender echoes it.
 *
 * <pre>
 *   8  session id int32           24  reception delta int64, ns
 *  12  stream id int32            32  receiver id int64
 *  16  echo timestamp int64, ns
 * </pre>
 */
public final class RttFrame {
    /** Length of the frame. */
    public static final int LENGTH = 40;

    /** Flag: a reply is requested. */
    public static final int FLAG_REPLY = 0x80;

    private RttFrame() {}

    /** Writes the reply to a frame at the start of a buffer. */
    public static void reply(UnsafeBuffer frame, UnsafeBuffer request) {
        Frames.common(frame, LENGTH, 0, Frames.RTT);
        frame.putInt(8, request.getInt(8));
        frame.putInt(12, request.getInt(12));
        frame.putLong(16, request.getLong(16));
        frame.putLong(24, 0);
        frame.putLong(32, request.getLong(32));
    }

    /** Writes a request at the start of a buffer. */
    public static void ask(
            UnsafeBuffer frame, int sessionId, int streamId, long timestamp, long receiverId) {
        Frames.common(frame, LENGTH, FLAG_REPLY, Frames.RTT);
        frame.putInt(8, sessionId);
        frame.putInt(12, streamId);
        frame.putLong(16, timestamp);
        frame.putLong(24, 0);
        frame.putLong(32, receiverId);
    }

    /** Returns the timestamp of the request, by the requester's clock. */
    public static long echoTimestamp(UnsafeBuffer frame) {
        return frame.getLong(16);
    }

    /** Returns the nanoseconds between receipt of the request and the reply. */
    public static long receptionDelta(UnsafeBuffer frame) {
        return frame.getLong(24);
    }

    /** Returns the receiver id of the requester. */
    public static long receiverId(UnsafeBuffer frame) {
        return frame.getLong(32);
    }

    /** Returns the session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Returns the stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }
}
