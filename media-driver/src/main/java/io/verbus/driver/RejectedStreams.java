// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

import java.util.ArrayList;
import java.util.List;

/**
 * Streams of peers that are not received again: those whose images were rejected for a time, and
 * those that were lost or rejected, or left by all, as long as there are subscriptions that do not
 * rejoin. Conductor's thread.
 */
final class RejectedStreams {
    private record Rejected(
            Transport transport,
            InboundEndpoint endpoint,
            int streamId,
            int sessionId,
            long untilNs) {}

    /** Not received by the subscriptions that there were. */
    private record Left(
            InboundEndpoint endpoint, int streamId, int sessionId, long newestSubscription) {}

    private final Subscriptions subscriptions;
    private final long timeoutNs;
    private final List<Rejected> all = new ArrayList<>();
    private final List<Left> left = new ArrayList<>();

    /**
     * @param subscriptions that may want them again.
     * @param timeoutNs for which each stays rejected.
     */
    RejectedStreams(Subscriptions subscriptions, long timeoutNs) {
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
     * A stream has left an endpoint, and its end was not told: where the subscriptions do not
     * rejoin, it is not received again as long as one of them is there.
     */
    void leave(InboundEndpoint endpoint, int streamId, int sessionId) {
        Subscription newest = subscriptions.newest(endpoint, streamId, sessionId);
        if (newest != null && !newest.channel().tether().rejoins()) {
            left.add(new Left(endpoint, streamId, sessionId, newest.registrationId()));
        }
    }

    private boolean isLeft(InboundEndpoint endpoint, int streamId, int sessionId) {
        for (int i = 0; i < left.size(); i++) {
            Left each = left.get(i);
            if (each.endpoint == endpoint
                    && each.streamId == streamId
                    && each.sessionId == sessionId
                    && isWanted(each)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a subscription is still there that the stream has left. */
    private boolean isWanted(Left each) {
        Subscription first = subscriptions.first(each.endpoint, each.streamId, each.sessionId);
        return first != null && first.registrationId() <= each.newestSubscription;
    }

    /** Whether a stream is not to be received. */
    boolean has(InboundEndpoint endpoint, int streamId, int sessionId) {
        if (isLeft(endpoint, streamId, sessionId)) {
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

    /** Lets those go whose time is over: their transports offer them again. */
    void expire(long nowNs) {
        left.removeIf(each -> !isWanted(each));
        for (int i = all.size() - 1; i >= 0; i--) {
            Rejected each = all.get(i);
            if (nowNs - each.untilNs >= 0) {
                all.remove(i);
                if (subscriptions.hasFor(each.endpoint, each.streamId, each.sessionId)) {
                    each.transport.onSubscriptionAdded(each.endpoint, each.streamId);
                }
            }
        }
    }
}
