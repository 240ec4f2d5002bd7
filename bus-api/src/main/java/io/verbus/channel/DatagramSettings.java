// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The settings of a channel for datagrams: sockets, loss recovery and congestion control. The
 * driver chooses those that are empty or null.
 *
 * @param sendBuffer {@code so-sndbuf}: length of the send buffer in bytes.
 * @param receiveBuffer {@code so-rcvbuf}: length of the receive buffer in bytes.
 * @param ttl {@code ttl}: maximum number of hops of datagrams; empty if the system chooses.
 * @param isReliable {@code reliable}: whether a subscription requests lost frames again.
 * @param nakDelay {@code nak-delay}: how long to wait for reordered frames before requesting a gap;
 *     null if unset.
 * @param maxResend {@code max-resend}: number of ranges resent concurrently.
 * @param linger {@code linger}: how long a closed publication resends lost frames; null if unset.
 * @param congestionControl {@code cc}: congestion control of a subscription, {@code static} or
 *     {@code cubic}; null if unset.
 * @param group {@code group}: whether a subscription assumes that its stream has other receivers;
 *     null to follow the sender's signal.
 */
public record DatagramSettings(
        OptionalInt sendBuffer,
        OptionalInt receiveBuffer,
        OptionalInt ttl,
        boolean isReliable,
        Duration nakDelay,
        OptionalInt maxResend,
        Duration linger,
        String congestionControl,
        Boolean group) {
    static DatagramSettings of(Map<ChannelKey, Object> values) {
        return new DatagramSettings(
                ChannelKey.SEND_BUFFER.number(values),
                ChannelKey.RECEIVE_BUFFER.number(values),
                ChannelKey.TTL.number(values),
                !Boolean.FALSE.equals(values.get(ChannelKey.RELIABLE)),
                (Duration) values.get(ChannelKey.NAK_DELAY),
                ChannelKey.MAX_RESEND.number(values),
                (Duration) values.get(ChannelKey.LINGER),
                (String) values.get(ChannelKey.CONGESTION_CONTROL),
                (Boolean) values.get(ChannelKey.GROUP));
    }
}
