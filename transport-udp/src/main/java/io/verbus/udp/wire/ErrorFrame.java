// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * Error frame: a receiver cannot receive a stream, and gives the reason.
 *
 * <pre>
 *   8  session id int32      24  group tag int64     36  length of the text int32
 *  12  stream id int32       32  error code int32    40  text, ASCII
 *  16  receiver id int64
 * </pre>
 */
public final class ErrorFrame {
    /** Length of the frame without the text in bytes. */
    public static final int HEADER_LENGTH = 40;

    /** Maximum number of bytes of text that are sent or read. */
    public static final int MAX_TEXT = 1023;

    /** Length of the longest frame that {@link #write} writes. */
    public static final int MAX_LENGTH = HEADER_LENGTH + MAX_TEXT;

    /** Error code of a receiver that has no storage space. */
    public static final int STORAGE_SPACE = 12;

    /** Error code of a receiver whose subscriber rejected the image. */
    public static final int IMAGE_REJECTED = 13;

    private static final int FLAG_GROUP_TAG = 0x08;

    private ErrorFrame() {}

    /**
     * Writes a frame at the start of a buffer.
     *
     * @return length of the frame.
     */
    public static int write(
            UnsafeBuffer frame,
            int sessionId,
            int streamId,
            long receiverId,
            int code,
            byte[] text,
            int textLength) {
        int length = HEADER_LENGTH + textLength;
        Frames.common(frame, length, 0, Frames.ERROR);
        frame.putInt(8, sessionId);
        frame.putInt(12, streamId);
        frame.putLong(16, receiverId);
        frame.putLong(24, 0);
        frame.putInt(32, code);
        frame.putInt(36, textLength);
        frame.putBytes(HEADER_LENGTH, text, 0, textLength);
        return length;
    }

    /** Adds the receiver's group tag to a frame. */
    public static void tag(UnsafeBuffer frame, long groupTag) {
        frame.putByte(5, (byte) FLAG_GROUP_TAG);
        frame.putLong(24, groupTag);
    }

    /** Returns the receiver id. */
    public static long receiverId(UnsafeBuffer frame) {
        return frame.getLong(16);
    }

    /** Returns the group tag of the receiver; empty if it has none. */
    public static OptionalLong groupTag(UnsafeBuffer frame) {
        return (Frames.flags(frame, 0) & FLAG_GROUP_TAG) == 0
                ? OptionalLong.empty()
                : OptionalLong.of(frame.getLong(24));
    }

    /** Returns the error code. */
    public static int code(UnsafeBuffer frame) {
        return frame.getInt(32);
    }

    /** Returns the session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Returns the stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /**
     * Returns the text as printable ASCII, limited to the datagram whatever length the frame
     * states. Allocates.
     *
     * @param length length of the datagram, at least {@link #HEADER_LENGTH}.
     */
    public static String text(UnsafeBuffer frame, int length) {
        int said = Math.max(0, frame.getInt(36));
        byte[] text = new byte[Math.min(Math.min(said, length - HEADER_LENGTH), MAX_TEXT)];
        frame.getBytes(HEADER_LENGTH, text);
        for (int i = 0; i < text.length; i++) {
            if (text[i] < ' ' || text[i] > '~') {
                text[i] = '?';
            }
        }
        return new String(text, StandardCharsets.US_ASCII);
    }
}
