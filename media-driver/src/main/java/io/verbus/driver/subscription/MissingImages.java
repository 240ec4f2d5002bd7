// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.EventEncoder;
import io.verbus.transport.InboundEndpoint;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.HashSet;
import java.util.Set;

/** Reports to subscriptions why images are missing. Used by the conductor's thread. */
public final class MissingImages {
    /** Maximum number of reasons reported to one subscription. */
    private static final int MAX_REASONS = 16;

    private final SubscriptionList subscriptions;
    private final EventEncoder events;

    /** Reasons that were already reported, by the registration id of the waiting subscription. */
    private final Long2ObjectHashMap<Set<String>> reported = new Long2ObjectHashMap<>();

    MissingImages(SubscriptionList subscriptions, EventEncoder events) {
        this.subscriptions = subscriptions;
        this.events = events;
    }

    /**
     * Reports to the waiting subscriptions why a stream cannot have an image. Each reason is
     * reported once, and the number of reasons is limited until an image arrives, because peers
     * determine how often this happens.
     */
    public void report(
            InboundEndpoint endpoint, int streamId, int sessionId, String source, String reason) {
        for (Subscription subscription : subscriptions.all()) {
            if (subscription.matches(endpoint, streamId, sessionId)
                    && isNews(subscription, reason)) {
                String failure =
                        "there is no image of session "
                                + sessionId
                                + " from "
                                + source
                                + ": "
                                + reason;
                subscription.shown().because(failure);
                events.error(
                        subscription.registrationId(),
                        ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE,
                        ChannelFailure.named(subscription.channel(), failure));
            }
        }
    }

    private boolean isNews(Subscription subscription, String reason) {
        Set<String> told =
                reported.computeIfAbsent(subscription.registrationId(), none -> new HashSet<>());
        return told.size() < MAX_REASONS && told.add(reason);
    }

    /** Forgets what was reported to a subscription, which has an image now, or is closed. */
    void forget(Subscription subscription) {
        reported.remove(subscription.registrationId());
    }
}
