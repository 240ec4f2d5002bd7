// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Streams that the driver ignores. A stream whose image was rejected is ignored for a time. A
 * stream that was lost, rejected or abandoned is also ignored while any subscription that does not
 * rejoin still exists. Used by the conductor's thread.
 */
public final class RejectedStreams {
    /** Maximum number of departed streams to remember; the oldest are forgotten. */
    private static final int MAX_LEFT = 16 * 1024;

    private record Rejected(
            InboundTransport transport,
            InboundEndpoint endpoint,
            int streamId,
            int sessionId,
            long untilNs) {}

    private record Stream(InboundEndpoint endpoint, int streamId, int sessionId) {}

    private final Subscriptions subscriptions;
    private final long timeoutNs;
    private final List<Rejected> all = new ArrayList<>();

    /**
     * Departed streams, oldest first, each with the registration id of the newest subscription when
     * it departed.
     */
    private final LinkedHashMap<Stream, Long> left = new LinkedHashMap<>();

    private int removals;

    /**
     * @param subscriptions the driver's subscriptions, to match against streams.
     * @param timeoutNs nanoseconds for which a stream stays rejected.
     */
    public RejectedStreams(Subscriptions subscriptions, long timeoutNs) {
        this.subscriptions = subscriptions;
        this.timeoutNs = timeoutNs;
    }

    void add(NetworkImage image, long nowNs) {
        all.add(
                new Rejected(
                        image.transport(),
                        image.endpoint(),
                        image.streamId(),
                        image.sessionId(),
                        nowNs + timeoutNs));
    }

    /**
     * Records that a stream has departed from an endpoint without announcing its end. The stream is
     * then ignored until all subscriptions that do not rejoin have closed.
     */
    void leave(InboundEndpoint endpoint, int streamId, int sessionId) {
        Subscription newest = subscriptions.list().newest(endpoint, streamId, sessionId);
        if (newest != null && !newest.channel().tether().rejoins()) {
            left.put(new Stream(endpoint, streamId, sessionId), newest.registrationId());
            if (left.size() > MAX_LEFT) {
                left.pollFirstEntry();
            }
        }
    }

    /** Returns whether a stream has departed and a subscription that has lost it still exists. */
    private boolean isLeft(Stream stream, Long newestThen) {
        Subscription first =
                newestThen == null
                        ? null
                        : subscriptions
                                .list()
                                .first(stream.endpoint, stream.streamId, stream.sessionId);
        return first != null && first.registrationId() <= newestThen;
    }

    /** Returns whether a stream is ignored. */
    boolean has(InboundEndpoint endpoint, int streamId, int sessionId) {
        Stream stream = new Stream(endpoint, streamId, sessionId);
        if (isLeft(stream, left.get(stream))) {
            return true;
        }
        for (int i = 0; i < all.size(); i++) {
            Rejected each = all.get(i);
            if (each.endpoint == endpoint
                    && each.streamId == streamId
                    && each.sessionId == sessionId) {
                return true;
            }
        }
        return false;
    }

    /** Removes expired rejections. Transports then offer these streams again. */
    void expire(long nowNs) {
        if (removals != subscriptions.list().removals()) {
            removals = subscriptions.list().removals();
            left.entrySet().removeIf(each -> !isLeft(each.getKey(), each.getValue()));
        }
        for (int i = all.size() - 1; i >= 0; i--) {
            Rejected each = all.get(i);
            if (nowNs - each.untilNs >= 0) {
                all.remove(i);
                if (subscriptions.list().hasFor(each.endpoint, each.streamId, each.sessionId)) {
                    each.transport.onSubscriptionAdded(each.endpoint, each.streamId);
                }
            }
        }
    }
}
