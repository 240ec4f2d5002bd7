// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Informational fields of a log's metadata, at Aeron's offsets: how a stream is transported. Only
 * tools and operators read them.
 *
 * <pre>
 *  +----------------------------+
 *  |     publication window     | 284  int32, bytes
 *  |      receiver window       | 288  int32, bytes, of an image
 *  |        send buffer         | 292  3 int32, bytes: requested, system default, system maximum
 *  |       receive buffer       | 304  3 int32, bytes: likewise
 *  |         max resend         | 316  int32, ranges resent concurrently
 *  +----------------------------+
 *  |      publication tag       | 448  int64, -1 if it has none
 *  |        response id         | 456  int64, -1
 *  |           linger           | 464  int64, nanoseconds
 *  |  untethered window limit   | 472  int64, nanoseconds
 *  |     untethered resting     | 480  int64, nanoseconds
 *  |           group            | 488  uint8, 1 for several receivers
 *  |          rejoins           | 490  uint8, 0 or 1
 *  |          reliable          | 491  uint8, 0 or 1
 *  |        signals end         | 493  uint8, 0 or 1
 *  | spies simulate connection  | 494  uint8, 0 or 1
 *  |          tethered          | 495  uint8, 0 or 1
 *  |     untethered linger      | 500  int64, nanoseconds
 *  +----------------------------+
 * </pre>
 */
public final class LogNotes {
    /** Offset in the metadata: publication window. */
    public static final int PUBLICATION_WINDOW = 284;

    /** Offset in the metadata: receiver window. */
    public static final int RECEIVER_WINDOW = 288;

    /** Offset in the metadata: send buffer, and the system's default and maximum. */
    public static final int SEND_BUFFER = 292;

    /** Offset in the metadata: receive buffer, and the system's default and maximum. */
    public static final int RECEIVE_BUFFER = 304;

    /** Offset in the metadata: number of ranges resent concurrently. */
    public static final int MAX_RESEND = 316;

    /** Offset in the metadata: tag of the publication. */
    public static final int PUBLICATION_TAG = 448;

    /** Offset in the metadata: response correlation id. */
    public static final int RESPONSE_ID = 456;

    /** Offset in the metadata: linger. */
    public static final int LINGER = 464;

    /** Offset in the metadata: time after which an untethered subscriber that lags is detached. */
    public static final int UNTETHERED_WINDOW_LIMIT = 472;

    /** Offset in the metadata: time after which a detached subscriber rejoins. */
    public static final int UNTETHERED_RESTING = 480;

    /** Offset in the metadata: whether the stream has several receivers. */
    public static final int GROUP = 488;

    /** Offset in the metadata: whether an image may rejoin. */
    public static final int REJOINS = 490;

    /** Offset in the metadata: whether lost frames are requested again. */
    public static final int RELIABLE = 491;

    /** Offset in the metadata: whether the end of the stream is signaled to subscribers. */
    public static final int TELLS_END = 493;

    /** Offset in the metadata: whether a spy alone makes the publication connected. */
    public static final int SPIES_CONNECT = 494;

    /** Offset in the metadata: whether subscribers are tethered. */
    public static final int TETHERED = 495;

    /**
     * Offset in the metadata: time for which a detached subscriber still back-pressures the stream;
     * 500 is not a multiple of 8.
     */
    public static final int UNTETHERED_LINGER = 500;

    private static final long NONE = -1;

    private LogNotes() {}

    /** Sets the defaults. */
    static void initialise(UnsafeBuffer metadata) {
        metadata.putLong(PUBLICATION_TAG, NONE);
        metadata.putLong(RESPONSE_ID, NONE);
        note(metadata, REJOINS, true);
        note(metadata, RELIABLE, true);
        note(metadata, TELLS_END, true);
        note(metadata, TETHERED, true);
    }

    /**
     * Sets the times after which untethered subscribers are detached and after which they rejoin.
     */
    public static void untethered(
            UnsafeBuffer metadata, long windowLimitNs, long lingerNs, long restingNs) {
        metadata.putLong(UNTETHERED_WINDOW_LIMIT, windowLimitNs);
        metadata.putLong(UNTETHERED_LINGER, lingerNs);
        metadata.putLong(UNTETHERED_RESTING, restingNs);
    }

    /** Sets a flag. */
    public static void note(UnsafeBuffer metadata, int offset, boolean holds) {
        metadata.putByte(offset, (byte) (holds ? 1 : 0));
    }

    /**
     * Sets the lengths of a socket buffer.
     *
     * @param offset {@link #SEND_BUFFER} or {@link #RECEIVE_BUFFER}.
     */
    public static void buffer(
            UnsafeBuffer metadata, int offset, int length, int systemDefault, int systemMost) {
        metadata.putInt(offset, length);
        metadata.putInt(offset + Integer.BYTES, systemDefault);
        metadata.putInt(offset + 2 * Integer.BYTES, systemMost);
    }
}
