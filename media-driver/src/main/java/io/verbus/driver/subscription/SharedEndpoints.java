// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;

import java.util.List;
import java.util.OptionalInt;

/**
 * Checks that the subscriptions at an endpoint have compatible settings. Used by the conductor's
 * thread.
 */
final class SharedEndpoints {
    private SharedEndpoints() {}

    /**
     * Checks a subscription against the existing subscriptions at its endpoint.
     *
     * @param added new subscription.
     * @param all existing subscriptions.
     * @throws CommandException if a subscription conflicts.
     */
    static void check(Subscription added, List<Subscription> all) {
        if (added.endpoint() != null) {
            checkResponses(added, all);
            checkShared(added, all);
        }
    }

    /**
     * Rejects a mixture of response subscriptions and other subscriptions: an endpoint requests
     * either all streams, or only responses with known sessions.
     */
    private static void checkResponses(Subscription added, List<Subscription> all) {
        boolean isResponse = added.channel().response().isResponse();
        for (Subscription each : all) {
            if (added.endpoint() == each.endpoint()
                    && each.channel().response().isResponse() != isResponse) {
                throw new CommandException(
                        ErrorCode.INVALID_CHANNEL,
                        "option conflicts with existing subscription: isResponse="
                                + isResponse
                                + " existingChannel="
                                + each.channel().written()
                                + " channel="
                                + added.channel().written()
                                + ": use another endpoint for responses");
            }
        }
    }

    /**
     * Requires equal settings, because all subscriptions to a stream at an endpoint share the
     * stream's images.
     */
    private static void checkShared(Subscription added, List<Subscription> all) {
        ChannelUri channel = added.channel();
        for (Subscription each : all) {
            if (added.mayShareWith(each)) {
                ChannelUri other = each.channel();
                checkSame(
                        "reliable",
                        channel.datagrams().isReliable(),
                        other.datagrams().isReliable(),
                        added,
                        each);
                checkSame(
                        "channel-rcv-ts-offset",
                        text(channel.timestamps().receive()),
                        text(other.timestamps().receive()),
                        added,
                        each);
                checkSame(
                        "media-rcv-ts-offset",
                        text(channel.timestamps().media()),
                        text(other.timestamps().media()),
                        added,
                        each);
                checkSame(
                        "rejoin",
                        channel.tether().rejoins(),
                        other.tether().rejoins(),
                        added,
                        each);
            }
        }
    }

    private static String text(OptionalInt place) {
        return place.isEmpty() ? "none" : Integer.toString(place.getAsInt());
    }

    private static void checkSame(
            String key, Object value, Object other, Subscription added, Subscription there) {
        if (!value.equals(other)) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "option conflicts with existing subscription: "
                            + key
                            + "="
                            + value
                            + " of channel '"
                            + added.channel().written()
                            + "', but another subscription of stream "
                            + added.streamId()
                            + " has channel '"
                            + there.channel().written()
                            + "': use the same "
                            + key
                            + " for all subscriptions of a stream at an endpoint");
        }
    }
}
