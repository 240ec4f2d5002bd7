// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.channel.AwaitedSession;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

/**
 * A client's subscription.
 *
 * @param registrationId correlation id of the command that added it.
 * @param clientId whose it is.
 * @param channel that it listens to.
 * @param streamId that it listens to.
 * @param carrier media of the transport where the channel names another; or null.
 * @param transport of the channel; null for IPC and spies.
 * @param endpoint of the channel; null for IPC and spies.
 * @param awaited session of the responses that it waits for; null for any other subscription.
 */
public record Subscription(
        long registrationId,
        long clientId,
        ChannelUri channel,
        int streamId,
        String carrier,
        Transport transport,
        InboundEndpoint endpoint,
        AwaitedSession awaited) {

    /** Whether a stream is the one that the subscription names. */
    boolean matches(InboundEndpoint sourceEndpoint, int sourceStreamId, int sourceSessionId) {
        return endpoint == sourceEndpoint
                && streamId == sourceStreamId
                && (awaited == null
                        ? channel.sessionId().orElse(sourceSessionId) == sourceSessionId
                        : awaited.is(sourceSessionId));
    }

    /** Whether a stream may have both this subscription and another as its subscribers. */
    boolean mayShareWith(Subscription other) {
        return endpoint == other.endpoint
                && streamId == other.streamId
                && (channel.sessionId().isEmpty()
                        || other.channel.sessionId().isEmpty()
                        || channel.sessionId().equals(other.channel.sessionId()));
    }
}
