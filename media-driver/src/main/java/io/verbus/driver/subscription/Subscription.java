// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.channel.AwaitedSession;
import io.verbus.driver.status.ShownState;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

/**
 * A client's subscription.
 *
 * @param registrationId correlation id of the command that added the subscription.
 * @param clientId id of the client that owns the subscription.
 * @param channel channel to subscribe to.
 * @param streamId stream to subscribe to.
 * @param carrier media of the transport if it differs from the channel's media, otherwise null.
 * @param transport transport of the channel; null for IPC and spies.
 * @param endpoint endpoint of the channel; null for IPC and spies.
 * @param awaited session of the responses for which the subscription waits; null unless it is a
 *     response subscription.
 * @param shown state shown to operators; a destination shares its subscription's state.
 */
public record Subscription(
        long registrationId,
        long clientId,
        ChannelUri channel,
        int streamId,
        String carrier,
        InboundTransport transport,
        InboundEndpoint endpoint,
        AwaitedSession awaited,
        ShownState shown) {

    /** Returns whether a stream matches the subscription. */
    public boolean matches(
            InboundEndpoint sourceEndpoint, int sourceStreamId, int sourceSessionId) {
        return endpoint == sourceEndpoint
                && streamId == sourceStreamId
                && (awaited == null
                        ? channel.sessionId().orElse(sourceSessionId) == sourceSessionId
                        : awaited.is(sourceSessionId));
    }

    /** Returns whether this subscription and another can both match the same stream. */
    boolean mayShareWith(Subscription other) {
        return endpoint == other.endpoint
                && streamId == other.streamId
                && (channel.sessionId().isEmpty()
                        || other.channel.sessionId().isEmpty()
                        || channel.sessionId().equals(other.channel.sessionId()));
    }
}
