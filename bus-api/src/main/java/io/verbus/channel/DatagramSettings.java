// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What a channel asks of the sockets that carry it, and of how losses on the way are repaired. What
 * it does not ask for the driver chooses.
 *
 * @param sendBuffer {@code so-sndbuf}: bytes of the send buffer.
 * @param receiveBuffer {@code so-rcvbuf}: bytes of the receive buffer.
 * @param nakDelay {@code nak-delay}: time for which a gap may be reordering; null if not said.
 * @param maxResend {@code max-resend}: ranges that may be sent again at a time.
 * @param group {@code group}: whether a subscription takes its stream for one that others receive
 *     too; null if the sender says so.
 */
public record DatagramSettings(
        OptionalInt sendBuffer,
        OptionalInt receiveBuffer,
        Duration nakDelay,
        OptionalInt maxResend,
        Boolean group) {
    static DatagramSettings of(Map<ChannelKey, Object> values) {
        return new DatagramSettings(
                number(values, ChannelKey.SEND_BUFFER),
                number(values, ChannelKey.RECEIVE_BUFFER),
                (Duration) values.get(ChannelKey.NAK_DELAY),
                number(values, ChannelKey.MAX_RESEND),
                (Boolean) values.get(ChannelKey.GROUP));
    }

    private static OptionalInt number(Map<ChannelKey, Object> values, ChannelKey key) {
        return values.get(key) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }
}
