// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.BitUtil;

/**
 * Layout of the header that precedes every frame in a log, little-endian.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                         frame length                          |  0
 *  +---------------+---------------+-------------------------------+
 *  |    version    |     flags     |             type              |  4
 *  +---------------+---------------+-------------------------------+
 *  |                          term offset                          |  8
 *  +---------------------------------------------------------------+
 *  |                          session id                           |  12
 *  +---------------------------------------------------------------+
 *  |                           stream id                           |  16
 *  +---------------------------------------------------------------+
 *  |                            term id                            |  20
 *  +---------------------------------------------------------------+
 *  |                        reserved value                         |  24
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                          payload ...                          |  32
 * </pre>
 *
 * The frame length counts header and payload, but not the padding to {@link #ALIGNMENT}. The frame
 * length is 0 before a frame is claimed and negative while a claim is being filled. To commit the
 * frame, the positive length is stored last, with release. The first eight bytes are one aligned
 * word, so one store, or one RDMA Write of eight bytes, commits the frame.
 */
public final class FrameHeader {
    /** Length of the header in bytes. */
    public static final int LENGTH = 32;

    /** Alignment of frames in bytes. */
    public static final int ALIGNMENT = 32;

    /** Offset of the frame length, int32: the low half of the commit word. */
    public static final int FRAME_LENGTH = 0;

    /** Offset of the version, uint8. */
    public static final int VERSION = 4;

    /** Offset of the flags, uint8. */
    public static final int FLAGS = 5;

    /** Offset of the type, uint16. */
    public static final int TYPE = 6;

    /** Offset of the frame's own offset within its term, int32. */
    public static final int TERM_OFFSET = 8;

    /** Offset of the session id, int32. */
    public static final int SESSION_ID = 12;

    /** Offset of the stream id, int32. */
    public static final int STREAM_ID = 16;

    /** Offset of the term id, int32. */
    public static final int TERM_ID = 20;

    /** Offset of the reserved value, int64, which applications may use freely. */
    public static final int RESERVED_VALUE = 24;

    /** Type of a frame that fills the rest of a term or an abandoned claim. */
    public static final int TYPE_PAD = 0;

    /** Type of a frame with payload. */
    public static final int TYPE_DATA = 1;

    /** Flag of the first frame of a message. */
    public static final int FLAG_BEGIN = 0x80;

    /** Flag of the last frame of a message. */
    public static final int FLAG_END = 0x40;

    /** Flags of a message that consists of one frame. */
    public static final int FLAGS_UNFRAGMENTED = FLAG_BEGIN | FLAG_END;

    private FrameHeader() {}

    /** Returns the number of bytes that a frame of the given length occupies in a log. */
    public static int align(int frameLength) {
        return BitUtil.align(frameLength, ALIGNMENT);
    }

    /**
     * Returns the first eight bytes of a frame as one little-endian word.
     *
     * @param frameLength frame length, with its sign.
     * @param flags flags of the frame.
     * @param type type of the frame.
     */
    public static long word(int frameLength, int flags, int type) {
        return (frameLength & 0xFFFF_FFFFL) | ((long) flags << 40) | ((long) type << 48);
    }

    /** Returns the frame length in a commit word. */
    public static int length(long word) {
        return (int) word;
    }

    /** Returns the flags in a commit word. */
    public static int flags(long word) {
        return (int) (word >>> 40) & 0xFF;
    }

    /** Returns the type in a commit word. */
    public static int type(long word) {
        return (int) (word >>> 48) & 0xFFFF;
    }
}
