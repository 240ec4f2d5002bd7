// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.util.Map;
import java.util.OptionalInt;

/**
 * The offsets in a message at which drivers write times. Each is {@link #RESERVED} for the reserved
 * value, and empty if the driver does not write that time.
 *
 * @param send {@code channel-snd-ts-offset}: where the sending driver writes the time.
 * @param receive {@code channel-rcv-ts-offset}: where the receiving driver writes the time of
 *     arrival.
 * @param media {@code media-rcv-ts-offset}: where the receiving driver writes the time when the
 *     kernel or the network adapter received the datagram.
 */
public record TimestampSettings(OptionalInt send, OptionalInt receive, OptionalInt media) {
    /** Offset of a timestamp in the reserved value of the frame that starts a message. */
    public static final int RESERVED = -8;

    static TimestampSettings of(Map<ChannelKey, Object> values) {
        return new TimestampSettings(
                ChannelKey.SEND_TIMESTAMP.number(values),
                ChannelKey.RECEIVE_TIMESTAMP.number(values),
                ChannelKey.MEDIA_TIMESTAMP.number(values));
    }
}
