// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.ConnectionKey;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Fields of the keys that {@link io.verbus.cnc.CounterTypes} tells of. A key may hold anything: a
 * length is cut to its place, and what is no printable ASCII becomes a question mark.
 */
public final class CounterKeys {
    private static final int SESSION_ID = Long.BYTES;
    private static final int STREAM_ID = SESSION_ID + Integer.BYTES;
    private static final int STREAM_TEXT = STREAM_ID + Integer.BYTES;

    private CounterKeys() {}

    /** Registration id in the key of a stream, connection or client. */
    public static long registrationId(DirectBuffer key) {
        return key.getLong(0);
    }

    /** Session id in the key of a stream. */
    public static int sessionId(DirectBuffer key) {
        return key.getInt(SESSION_ID);
    }

    /** Stream id in the key of a stream. */
    public static int streamId(DirectBuffer key) {
        return key.getInt(STREAM_ID);
    }

    /**
     * Channel in the key of a stream; of some types the destination, or what carries the stream.
     */
    public static String streamText(DirectBuffer key) {
        return text(key, STREAM_TEXT, CountersReader.MAX_KEY_LENGTH);
    }

    /** Channel in the key of a channel. */
    public static String channel(DirectBuffer key) {
        return text(key, 0, CountersReader.MAX_KEY_LENGTH);
    }

    /** Address in the key of a local address, or name in the key of a device. */
    public static String secondText(DirectBuffer key) {
        return text(key, Integer.BYTES, CountersReader.MAX_KEY_LENGTH);
    }

    /** Peer in the key of a connection. */
    public static String peer(DirectBuffer key) {
        return text(key, ConnectionKey.PEER, ConnectionKey.DEVICE_LENGTH);
    }

    /** Device in the key of a connection. */
    public static String device(DirectBuffer key) {
        int length = key.getShort(ConnectionKey.DEVICE_LENGTH);
        return ascii(key, ConnectionKey.DEVICE, length, ConnectionKey.LENGTH);
    }

    /** A length, int32, and as many characters. */
    private static String text(DirectBuffer key, int at, int end) {
        return ascii(key, at + Integer.BYTES, key.getInt(at), end);
    }

    private static String ascii(DirectBuffer key, int at, int length, int end) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.clamp(length, 0, end - at); i++) {
            byte c = key.getByte(at + i);
            text.append(c >= ' ' && c <= '~' ? (char) c : '?');
        }
        return text.toString();
    }
}
