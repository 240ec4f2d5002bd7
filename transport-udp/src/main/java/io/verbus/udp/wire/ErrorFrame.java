// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * A receiver cannot take a stream, and says why.
 *
 * <pre>
 *   8  session id int32      24  group tag int64     36  length of the text int32
 *  12  stream id int32       32  error code int32    40  text, ASCII
 *  16  receiver id int64
 * </pre>
 */
public final class ErrorFrame {
    /** Bytes without the text. */
    public static final int HEADER_LENGTH = 40;

    /** Bytes of the text that are sent or read at most. */
    public static final int MAX_TEXT = 1023;

    /** Bytes of the longest frame that {@link #write} makes. */
    public static final int MAX_LENGTH = HEADER_LENGTH + MAX_TEXT;

    /** Error code of a receiver without room. */
    public static final int STORAGE_SPACE = 12;

    /** Error code of a receiver where a subscriber does not take the stream. */
    public static final int IMAGE_REJECTED = 13;

    private static final int FLAG_GROUP_TAG = 0x08;

    private ErrorFrame() {}

    /**
     * Writes a frame at the beginning of a buffer.
     *
     * @return bytes of the frame.
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

    /** Adds the tag of the receiver to a frame. */
    public static void tag(UnsafeBuffer frame, long groupTag) {
        frame.putByte(5, (byte) FLAG_GROUP_TAG);
        frame.putLong(24, groupTag);
    }

    /** By which the receiver is told from others. */
    public static long receiverId(UnsafeBuffer frame) {
        return frame.getLong(16);
    }

    /** Tag of the receiver; empty if it has none. */
    public static OptionalLong groupTag(UnsafeBuffer frame) {
        return (Frames.flags(frame, 0) & FLAG_GROUP_TAG) == 0
                ? OptionalLong.empty()
                : OptionalLong.of(frame.getLong(24));
    }

    /** What is wrong. */
    public static int code(UnsafeBuffer frame) {
        return frame.getInt(32);
    }

    /** Session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /**
     * The text, in printable ASCII, however long the frame says it is. Allocates.
     *
     * @param length of the datagram, at least {@link #HEADER_LENGTH}.
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
