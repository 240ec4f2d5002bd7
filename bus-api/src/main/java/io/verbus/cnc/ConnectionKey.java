// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import org.agrona.MutableDirectBuffer;

/**
 * The key of a counter of type {@link CounterTypes#CONNECTION}: the connection or image that the
 * counter belongs to.
 *
 * <pre>
 *    0  registration id of the connection or image, int64; unique among existing ones
 *    8  number of the counter, see {@link ConnectionCounter}, int32
 *   12  session id of the image, int32; 0 for a connection
 *   16  stream id of the image, int32; 0 for a connection
 *   20  length of the peer's address, int32
 *   24  peer's address, host and port, ASCII, at most 54 characters
 *   78  length of the device's name, int16; 0 while unknown
 *   80  name of the RDMA device, ASCII, at most 32 characters
 * </pre>
 *
 * @param registrationId registration id of the connection or image.
 * @param sessionId session id of the image, or 0.
 * @param streamId stream id of the image, or 0.
 * @param peer host and port of the peer.
 * @param device name of this host's RDMA device; empty while unknown.
 */
public record ConnectionKey(
        long registrationId, int sessionId, int streamId, String peer, String device) {
    /** Length of the key in bytes. */
    public static final int LENGTH = 112;

    /** Offset of the counter's number. */
    public static final int NUMBER = 8;

    /** Offset of the session id. */
    public static final int SESSION_ID = 12;

    /** Offset of the stream id. */
    public static final int STREAM_ID = 16;

    /** Offset of the length of the peer's address, which the address follows. */
    public static final int PEER = 20;

    /** Offset of the length of the device's name. */
    public static final int DEVICE_LENGTH = 78;

    /** Offset of the device's name. */
    public static final int DEVICE = 80;

    /** Maximum length of a peer's address; a longer one is truncated. */
    public static final int MAX_PEER = DEVICE_LENGTH - PEER - Integer.BYTES;

    /** Maximum length of a device's name; a longer one is truncated. */
    public static final int MAX_DEVICE = LENGTH - DEVICE;

    /** Returns the key of a connection whose device is not known yet. */
    public static ConnectionKey ofConnection(String peer) {
        return new ConnectionKey(0, 0, 0, peer, "");
    }

    /** Returns the key of an image. */
    public static ConnectionKey ofImage(String peer, int sessionId, int streamId, String device) {
        return new ConnectionKey(0, sessionId, streamId, peer, device);
    }

    /** Returns this key with another registration id. */
    public ConnectionKey withRegistrationId(long id) {
        return new ConnectionKey(id, sessionId, streamId, peer, device);
    }

    /** Returns this key with a device. */
    public ConnectionKey on(String name) {
        return new ConnectionKey(registrationId, sessionId, streamId, peer, name);
    }

    /** Writes the key of a counter into {@link #LENGTH} bytes. */
    public void putTo(MutableDirectBuffer key, ConnectionCounter counter) {
        key.setMemory(0, LENGTH, (byte) 0);
        key.putLong(0, registrationId);
        key.putInt(NUMBER, counter.number());
        key.putInt(SESSION_ID, sessionId);
        key.putInt(STREAM_ID, streamId);
        int length = Math.min(peer.length(), MAX_PEER);
        key.putInt(PEER, length);
        key.putStringWithoutLengthAscii(PEER + Integer.BYTES, peer, 0, length);
        length = Math.min(device.length(), MAX_DEVICE);
        key.putShort(DEVICE_LENGTH, (short) length);
        key.putStringWithoutLengthAscii(DEVICE, device, 0, length);
    }
}
