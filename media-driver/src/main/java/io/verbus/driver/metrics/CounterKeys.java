// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.cnc.ConnectionKey;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads the fields of the keys described in {@link io.verbus.cnc.CounterTypes}. Because a key may
 * contain anything, lengths are limited to the field, and characters other than printable ASCII
 * become question marks.
 */
public final class CounterKeys {
    private static final int SESSION_ID = Long.BYTES;
    private static final int STREAM_ID = SESSION_ID + Integer.BYTES;
    private static final int STREAM_TEXT = STREAM_ID + Integer.BYTES;

    private CounterKeys() {}

    /** Returns the registration id in the key of a stream, connection or client. */
    public static long registrationId(DirectBuffer key) {
        return key.getLong(0);
    }

    /** Returns the session id in the key of a stream. */
    public static int sessionId(DirectBuffer key) {
        return key.getInt(SESSION_ID);
    }

    /** Returns the stream id in the key of a stream. */
    public static int streamId(DirectBuffer key) {
        return key.getInt(STREAM_ID);
    }

    /**
     * Returns the channel in the key of a stream; for some counter types this is the destination or
     * the carrier.
     */
    public static String streamText(DirectBuffer key) {
        return text(key, STREAM_TEXT, CountersReader.MAX_KEY_LENGTH);
    }

    /** Returns the channel in the key of a channel. */
    public static String channel(DirectBuffer key) {
        return text(key, 0, CountersReader.MAX_KEY_LENGTH);
    }

    /** Returns the address in the key of a local address, or the name in the key of a device. */
    public static String secondText(DirectBuffer key) {
        return text(key, Integer.BYTES, CountersReader.MAX_KEY_LENGTH);
    }

    /** Returns the peer in the key of a connection. */
    public static String peer(DirectBuffer key) {
        return text(key, ConnectionKey.PEER, ConnectionKey.DEVICE_LENGTH);
    }

    /** Returns the device in the key of a connection. */
    public static String device(DirectBuffer key) {
        int length = key.getShort(ConnectionKey.DEVICE_LENGTH);
        return ascii(key, ConnectionKey.DEVICE, length, ConnectionKey.LENGTH);
    }

    /** Reads an int32 length, and then as many characters. */
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
