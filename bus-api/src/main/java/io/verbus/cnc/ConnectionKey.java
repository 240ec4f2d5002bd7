// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import org.agrona.MutableDirectBuffer;

/**
 * What a counter of type {@link CounterTypes#CONNECTION} belongs to, as its key has it.
 *
 * <pre>
 *    0  registration id of the connection or image, int64; unique among those that there are
 *    8  number of the counter, see {@link ConnectionCounter}, int32
 *   12  session id of the image, int32; 0 of a connection
 *   16  stream id of the image, int32; 0 of a connection
 *   20  length of the peer's address, int32
 *   24  peer's address, host and port, ASCII, at most 54 characters
 *   78  length of the device's name, int16; 0 while it is not known
 *   80  name of the RDMA device, ASCII, at most 32 characters
 * </pre>
 *
 * @param registrationId of the connection or image.
 * @param sessionId of the image, or 0.
 * @param streamId of the image, or 0.
 * @param peer host and port of the other end.
 * @param device name of this host's RDMA device; empty while it is not known.
 */
public record ConnectionKey(
        long registrationId, int sessionId, int streamId, String peer, String device) {
    /** Bytes of the key. */
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

    /** Characters that a peer's address may have; the end of a longer one is left out. */
    public static final int MAX_PEER = DEVICE_LENGTH - PEER - Integer.BYTES;

    /** Characters that a device's name may have; the end of a longer one is left out. */
    public static final int MAX_DEVICE = LENGTH - DEVICE;

    /** Of a connection whose device is not known yet. */
    public static ConnectionKey ofConnection(String peer) {
        return new ConnectionKey(0, 0, 0, peer, "");
    }

    /** Of an image. */
    public static ConnectionKey ofImage(String peer, int sessionId, int streamId, String device) {
        return new ConnectionKey(0, sessionId, streamId, peer, device);
    }

    /** The same with another registration id. */
    public ConnectionKey withRegistrationId(long id) {
        return new ConnectionKey(id, sessionId, streamId, peer, device);
    }

    /** The same on a device. */
    public ConnectionKey on(String name) {
        return new ConnectionKey(registrationId, sessionId, streamId, peer, name);
    }

    /** Writes the key of one of the counters into {@link #LENGTH} bytes. */
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
