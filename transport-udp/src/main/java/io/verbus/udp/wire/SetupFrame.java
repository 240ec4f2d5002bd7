// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Setup: the properties and position of a stream. Sent until a receiver responds, and on request.
 *
 * <pre>
 *   8  term offset int32     24  active term id int32
 *  12  session id int32      28  term length int32
 *  16  stream id int32       32  MTU int32
 *  20  initial term id int32 36  TTL int32
 * </pre>
 */
public final class SetupFrame {
    /** Length of the frame. */
    public static final int LENGTH = 40;

    /** Flag: the receivers are a group, and respond to its control address. */
    public static final int FLAG_GROUP = 0x40;

    /**
     * Flag: the stream consists of requests, and its sender waits for the session id of the
     * responses.
     */
    public static final int FLAG_WANTS_RESPONSES = 0x80;

    private SetupFrame() {}

    /** Writes a frame at the start of a buffer. */
    public static void write(
            UnsafeBuffer frame,
            int flags,
            int sessionId,
            int streamId,
            int initialTermId,
            int activeTermId,
            int termOffset,
            int termLength,
            int mtu,
            int ttl) {
        Frames.common(frame, LENGTH, flags, Frames.SETUP);
        frame.putInt(8, termOffset);
        frame.putInt(12, sessionId);
        frame.putInt(16, streamId);
        frame.putInt(20, initialTermId);
        frame.putInt(24, activeTermId);
        frame.putInt(28, termLength);
        frame.putInt(32, mtu);
        frame.putInt(36, ttl);
    }

    /** Returns the offset of the stream's position in the active term. */
    public static int termOffset(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Returns the session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /** Returns the stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(16);
    }

    /** Returns the initial term id. */
    public static int initialTermId(UnsafeBuffer frame) {
        return frame.getInt(20);
    }

    /** Returns the term id of the stream's position. */
    public static int activeTermId(UnsafeBuffer frame) {
        return frame.getInt(24);
    }

    /** Returns the term length in bytes. */
    public static int termLength(UnsafeBuffer frame) {
        return frame.getInt(28);
    }

    /** Returns the maximum frame length in bytes. */
    public static int mtu(UnsafeBuffer frame) {
        return frame.getInt(32);
    }

    /** Returns whether the frame's values are valid for a log. */
    public static boolean isInRange(UnsafeBuffer frame) {
        int termLength = termLength(frame);
        int termOffset = termOffset(frame);
        int mtu = mtu(frame);
        return termLength >= LogLayout.MIN_TERM_LENGTH
                && termLength <= LogLayout.MAX_TERM_LENGTH
                && BitUtil.isPowerOfTwo(termLength)
                && activeTermId(frame) - initialTermId(frame) >= 0
                && termOffset >= 0
                && termOffset < termLength
                && termOffset % FrameHeader.ALIGNMENT == 0
                && mtu >= LogSpec.MIN_MTU
                && mtu <= LogSpec.MAX_MTU
                && mtu % FrameHeader.ALIGNMENT == 0;
    }

    /** Returns the stream's position; the frame must be in range. */
    public static long position(UnsafeBuffer frame) {
        long terms = activeTermId(frame) - initialTermId(frame);
        return (terms << LogLayout.positionBitsToShift(termLength(frame))) + termOffset(frame);
    }
}
