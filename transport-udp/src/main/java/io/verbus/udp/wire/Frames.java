// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What every frame begins with, and the types of frames, little-endian. A data frame's header is
 * that of a log, {@link io.verbus.logbuffer.FrameHeader}.
 *
 * <pre>
 *  0        frame length, int32; 0 in a data frame that is a heartbeat
 *  4        version, uint8
 *  5        flags, uint8
 *  6        type, uint16
 * </pre>
 */
public final class Frames {
    /** Bytes that every frame has. */
    public static final int COMMON_LENGTH = 8;

    /** The only version. */
    public static final int VERSION = 0;

    /** Type: a receiver misses a range. */
    public static final int NAK = 2;

    /** Type: status message, how far a receiver has consumed a stream. */
    public static final int STATUS = 3;

    /** Type: an error, for people. */
    public static final int ERROR = 4;

    /** Type: what a stream is, and where it stands. */
    public static final int SETUP = 5;

    /** Type: round trip time measurement. */
    public static final int RTT = 6;

    /** Type: in which session the responses to a stream of requests come. */
    public static final int RESPONSE_SETUP = 11;

    /** Flag of a data frame: the stream ends at its position. */
    public static final int FLAG_END_OF_STREAM = 0x20;

    /** Flag of a heartbeat: the stream ends wherever its receivers are. */
    public static final int FLAG_REVOKED = 0x10;

    private Frames() {}

    /** Type of the frame that a datagram begins with, which has {@link #COMMON_LENGTH} bytes. */
    public static int type(UnsafeBuffer datagram) {
        return datagram.getShort(6) & 0xFFFF;
    }

    /** Version of the frame at an offset. */
    public static int version(UnsafeBuffer datagram, int offset) {
        return datagram.getByte(offset + 4) & 0xFF;
    }

    /** Flags of the frame at an offset. */
    public static int flags(UnsafeBuffer datagram, int offset) {
        return datagram.getByte(offset + 5) & 0xFF;
    }

    /**
     * Bytes that a frame which is not of data takes of a datagram.
     *
     * @param datagram that begins with the frame and has at least so many bytes.
     * @param minLength of a frame of its type.
     */
    public static int span(UnsafeBuffer datagram, int minLength) {
        return Math.min(Math.max(datagram.getInt(0), minLength), datagram.capacity());
    }

    /**
     * Bytes that a data frame takes of a datagram: of padding and heartbeats that is the header.
     *
     * @param datagram that begins with the frame, and has the bytes of its header.
     */
    public static int dataSpan(UnsafeBuffer datagram) {
        int length = type(datagram) == FrameHeader.TYPE_PAD ? 0 : datagram.getInt(0);
        return length > datagram.capacity() - FrameHeader.ALIGNMENT
                ? datagram.capacity()
                : Math.max(FrameHeader.align(length), FrameHeader.LENGTH);
    }

    static void common(UnsafeBuffer frame, int length, int flags, int type) {
        frame.putInt(0, length);
        frame.putByte(4, (byte) VERSION);
        frame.putByte(5, (byte) flags);
        frame.putShort(6, (short) type);
    }
}
