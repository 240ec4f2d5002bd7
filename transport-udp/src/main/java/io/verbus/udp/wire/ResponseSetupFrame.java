// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Response setup: reports the session id of the responses to the sender of the requests.
 *
 * <pre>
 *   8  session id int32, of the requests     16  session id int32, of the responses
 *  12  stream id int32, of the requests
 * </pre>
 */
public final class ResponseSetupFrame {
    /** Length of the frame. */
    public static final int LENGTH = 20;

    private ResponseSetupFrame() {}

    /** Writes a frame at the start of a buffer. */
    public static void write(
            UnsafeBuffer frame, int sessionId, int streamId, int responseSessionId) {
        Frames.common(frame, LENGTH, 0, Frames.RESPONSE_SETUP);
        frame.putInt(8, sessionId);
        frame.putInt(12, streamId);
        frame.putInt(16, responseSessionId);
    }

    /** Returns the session id of the requests. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Returns the stream id of the requests. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /** Returns the session id of the responses. */
    public static int responseSessionId(UnsafeBuffer frame) {
        return frame.getInt(16);
    }
}
