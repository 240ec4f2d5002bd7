// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The settings of a channel for its sockets and for loss recovery. The driver chooses those that
 * are empty or null.
 *
 * @param sendBuffer {@code so-sndbuf}: length of the send buffer in bytes.
 * @param receiveBuffer {@code so-rcvbuf}: length of the receive buffer in bytes.
 * @param nakDelay {@code nak-delay}: how long to wait for reordered frames before requesting a gap;
 *     null if unset.
 * @param maxResend {@code max-resend}: number of ranges resent concurrently.
 * @param group {@code group}: whether a subscription assumes that its stream has other receivers;
 *     null to follow the sender's signal.
 */
public record DatagramSettings(
        OptionalInt sendBuffer,
        OptionalInt receiveBuffer,
        Duration nakDelay,
        OptionalInt maxResend,
        Boolean group) {
    static DatagramSettings of(Map<ChannelKey, Object> values) {
        return new DatagramSettings(
                ChannelKey.SEND_BUFFER.number(values),
                ChannelKey.RECEIVE_BUFFER.number(values),
                (Duration) values.get(ChannelKey.NAK_DELAY),
                ChannelKey.MAX_RESEND.number(values),
                (Boolean) values.get(ChannelKey.GROUP));
    }
}
