// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Status message: the position up to which a receiver has consumed a stream, and the window beyond
 * it that the receiver accepts.
 *
 * <pre>
 *   8  session id int32                20  consumption term offset int32
 *  12  stream id int32                 24  receiver window int32, bytes
 *  16  consumption term id int32       28  receiver id int64
 *                                      36  group tag int64, in a longer frame
 * </pre>
 */
public final class StatusFrame {
    /** Length of a frame without group tag. */
    public static final int LENGTH = 36;

    /** Length of a frame with group tag. */
    public static final int TAGGED_LENGTH = 44;

    /** Flag: the receiver does not know the stream, and requests its setup. */
    public static final int FLAG_SEND_SETUP = 0x80;

    /** Flag: the receiver leaves the stream. */
    public static final int FLAG_END_OF_STREAM = 0x40;

    private StatusFrame() {}

    /** Writes a frame at the start of a buffer. */
    public static void write(
            UnsafeBuffer frame,
            int flags,
            int sessionId,
            int streamId,
            int termId,
            int termOffset,
            int window,
            long receiverId) {
        Frames.common(frame, LENGTH, flags, Frames.STATUS);
        frame.putInt(8, sessionId);
        frame.putInt(12, streamId);
        frame.putInt(16, termId);
        frame.putInt(20, termOffset);
        frame.putInt(24, window);
        frame.putLong(28, receiverId);
    }

    /** Adds a group tag to a frame. */
    public static void tag(UnsafeBuffer frame, long groupTag) {
        frame.putInt(0, TAGGED_LENGTH);
        frame.putLong(36, groupTag);
    }

    /** Returns whether a frame has a group tag. */
    public static boolean isTagged(UnsafeBuffer frame, int datagramLength) {
        return datagramLength >= TAGGED_LENGTH && frame.getInt(0) >= TAGGED_LENGTH;
    }

    /** Returns the group tag; the frame must be tagged. */
    public static long groupTag(UnsafeBuffer frame) {
        return frame.getLong(36);
    }

    /** Returns the session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Returns the stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /** Returns the term id of the consumption position. */
    public static int termId(UnsafeBuffer frame) {
        return frame.getInt(16);
    }

    /** Returns the term offset of the consumption position. */
    public static int termOffset(UnsafeBuffer frame) {
        return frame.getInt(20);
    }

    /** Returns the number of bytes beyond the consumption position that the receiver accepts. */
    public static int window(UnsafeBuffer frame) {
        return frame.getInt(24);
    }

    /** Returns the receiver id. */
    public static long receiverId(UnsafeBuffer frame) {
        return frame.getLong(28);
    }
}
