// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.wire;

import io.verbus.logbuffer.FrameHeader;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Header that all frames have in common, and the types of frames. Little-endian. A data frame has
 * the header of a log, {@link io.verbus.logbuffer.FrameHeader}.
 *
 * <pre>
 *  0        frame length, int32; 0 in a data frame that is a heartbeat
 *  4        version, uint8
 *  5        flags, uint8
 *  6        type, uint16
 * </pre>
 */
public final class Frames {
    /** Length of the common header. */
    public static final int COMMON_LENGTH = 8;

    /** Only version of the protocol. */
    public static final int VERSION = 0;

    /** Type: a receiver requests a missing range. */
    public static final int NAK = 2;

    /** Type: status message, with the position up to which a receiver has consumed a stream. */
    public static final int STATUS = 3;

    /** Type: error, with a text. */
    public static final int ERROR = 4;

    /** Type: setup, with the properties and position of a stream. */
    public static final int SETUP = 5;

    /** Type: round trip time measurement. */
    public static final int RTT = 6;

    /** Type: session id of the responses to a stream of requests. */
    public static final int RESPONSE_SETUP = 11;

    /** Flag of a data frame: the stream ends at its position. */
    public static final int FLAG_END_OF_STREAM = 0x20;

    /** Flag of a heartbeat: the stream ends immediately, wherever its receivers are. */
    public static final int FLAG_REVOKED = 0x10;

    private Frames() {}

    /**
     * Returns the type of the first frame of a datagram of at least {@link #COMMON_LENGTH} bytes.
     */
    public static int type(UnsafeBuffer datagram) {
        return datagram.getShort(6) & 0xFFFF;
    }

    /** Returns the version of the frame at an offset. */
    public static int version(UnsafeBuffer datagram, int offset) {
        return datagram.getByte(offset + 4) & 0xFF;
    }

    /** Returns the flags of the frame at an offset. */
    public static int flags(UnsafeBuffer datagram, int offset) {
        return datagram.getByte(offset + 5) & 0xFF;
    }

    /**
     * Returns the number of bytes that a non-data frame occupies in a datagram.
     *
     * @param datagram datagram that starts with the frame and is at least as long.
     * @param minLength minimum length of a frame of its type.
     */
    public static int span(UnsafeBuffer datagram, int minLength) {
        return Math.min(Math.max(datagram.getInt(0), minLength), datagram.capacity());
    }

    /**
     * Returns the number of bytes that a data frame occupies in a datagram; for padding and
     * heartbeats, the header length.
     *
     * @param datagram datagram that starts with the frame and contains its header.
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
