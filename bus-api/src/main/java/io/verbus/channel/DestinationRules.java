// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.BusException;

import java.util.List;
import java.util.Map;

/** Checks whether a channel can be a destination of a publication or a subscription. */
final class DestinationRules {
    /** Keys that no destination may have, whether of a publication or a subscription. */
    private static final List<ChannelKey> NOT_OF_DESTINATIONS =
            List.of(
                    ChannelKey.MTU,
                    ChannelKey.WINDOW,
                    ChannelKey.SEND_BUFFER,
                    ChannelKey.RECEIVE_BUFFER);

    /** Keys that configure how slow readers are handled, on any media. */
    private static final List<ChannelKey> OF_READERS =
            List.of(
                    ChannelKey.TETHER,
                    ChannelKey.REJOIN,
                    ChannelKey.UNTETHERED_WINDOW_LIMIT,
                    ChannelKey.UNTETHERED_LINGER,
                    ChannelKey.UNTETHERED_RESTING);

    private DestinationRules() {}

    /** Checks that a channel can be a destination of a subscription. */
    static void checkOfSubscription(
            ChannelUri channel,
            Map<ChannelKey, Object> values,
            Map<ChannelKey, BusException> faults) {
        ChannelRules.refuse(
                !values.containsKey(ChannelKey.ENDPOINT)
                        && !(channel.isAeron() && values.containsKey(ChannelKey.CONTROL)),
                channel,
                "has no endpoint, which a destination requires: add endpoint=host:port");
        for (ChannelKey key : NOT_OF_DESTINATIONS) {
            ChannelRules.refuse(
                    values.containsKey(key),
                    channel,
                    "has the key "
                            + key.text(channel.isAeron())
                            + ", which belongs in the subscription's own channel: set it there");
        }
        for (ChannelKey key : OF_READERS) {
            ChannelRules.refuse(
                    values.containsKey(key) && !channel.isAeron(),
                    channel,
                    "has the key "
                            + key.text()
                            + ", which belongs in the subscription's own channel: set it there");
        }
        ChannelRules.checkSubscribable(channel, values, faults);
    }

    /** Checks that a channel can be a destination of a publication. */
    static void checkOfPublication(ChannelUri channel, Map<ChannelKey, Object> values) {
        ChannelRules.refuse(
                channel.isSpy(),
                channel,
                // Aeron's tests look for "spies are invalid".
                "is a spy channel, and spies are invalid as destinations: use"
                        + " verbus:rdma?endpoint=host:port or verbus:udp?endpoint=host:port");
        for (ChannelKey key : values.keySet()) {
            boolean isOfDestination =
                    switch (key) {
                        case ENDPOINT, ALIAS -> true;
                        case CONTROL_MODE, MTU, WINDOW, SEND_BUFFER, RECEIVE_BUFFER -> false;
                        default ->
                                channel.isAeron()
                                        || ChannelRules.isOfConnection(key)
                                                && channel.media().equals(ChannelMedia.RDMA.text());
                    };
            ChannelRules.refuse(
                    !isOfDestination,
                    channel,
                    "has the key "
                            + key.text(channel.isAeron())
                            + ", which belongs in the publication's own channel: a destination has"
                            + " only endpoint=host:port"
                            + (channel.media().equals(ChannelMedia.RDMA.text())
                                    ? ", and interface=ADDRESS if needed"
                                    : ""));
        }
        ChannelRules.refuse(
                channel.isIpc(),
                channel,
                "is an IPC channel, which cannot be a destination: use"
                        + " verbus:rdma?endpoint=host:port or verbus:udp?endpoint=host:port");
        ChannelRules.refuse(
                !values.containsKey(ChannelKey.ENDPOINT),
                channel,
                "has no endpoint, which a destination requires: add endpoint=host:port");
        ChannelRules.checkPorts(channel, values);
    }
}
