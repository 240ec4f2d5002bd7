// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

import java.util.ArrayList;
import java.util.List;

/**
 * Streams of peers whose images were rejected: none is received again before its time is over.
 * Conductor's thread.
 */
final class RejectedStreams {
    private record Rejected(
            Transport transport,
            InboundEndpoint endpoint,
            int streamId,
            int sessionId,
            long untilNs) {}

    private final Subscriptions subscriptions;
    private final long timeoutNs;
    private final List<Rejected> all = new ArrayList<>();

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

    boolean has(InboundEndpoint endpoint, int streamId, int sessionId) {
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
