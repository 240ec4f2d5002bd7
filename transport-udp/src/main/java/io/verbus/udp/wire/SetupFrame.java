// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a stream is, and where it stands: sent until a receiver answers, and when one asks.
 *
 * <pre>
 *   8  term offset int32     24  active term id int32
 *  12  session id int32      28  term length int32
 *  16  stream id int32       32  MTU int32
 *  20  initial term id int32 36  TTL int32
 * </pre>
 */
public final class SetupFrame {
    /** Bytes of the frame. */
    public static final int LENGTH = 40;

    /** Flag: receivers are a group, and answer to its control address. */
    public static final int FLAG_GROUP = 0x40;

    /** Flag: the stream is of requests, and its sender waits to be told of the responses. */
    public static final int FLAG_WANTS_RESPONSES = 0x80;

    private SetupFrame() {}

    /** Writes a frame at the beginning of a buffer. */
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

    /** Offset in the active term at which the stream stands. */
    public static int termOffset(UnsafeBuffer frame) {
        return frame.getInt(8);
    }

    /** Session id. */
    public static int sessionId(UnsafeBuffer frame) {
        return frame.getInt(12);
    }

    /** Stream id. */
    public static int streamId(UnsafeBuffer frame) {
        return frame.getInt(16);
    }

    /** Id of the stream's first term. */
    public static int initialTermId(UnsafeBuffer frame) {
        return frame.getInt(20);
    }

    /** Id of the term at which the stream stands. */
    public static int activeTermId(UnsafeBuffer frame) {
        return frame.getInt(24);
    }

    /** Bytes of a term. */
    public static int termLength(UnsafeBuffer frame) {
        return frame.getInt(28);
    }

    /** Longest frame in bytes. */
    public static int mtu(UnsafeBuffer frame) {
        return frame.getInt(32);
    }

    /** Whether what it says of the stream's log can be. */
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

    /** Position at which the stream stands, of a frame that is in range. */
    public static long position(UnsafeBuffer frame) {
        long terms = activeTermId(frame) - initialTermId(frame);
        return (terms << LogLayout.positionBitsToShift(termLength(frame))) + termOffset(frame);
    }
}
