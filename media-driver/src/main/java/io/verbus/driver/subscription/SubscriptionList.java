// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.share.OwnedIds;
import io.verbus.transport.InboundEndpoint;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The subscriptions of all clients, and the IPC and spy destinations of those that are manual.
 * Finds those that match a stream. Used by the conductor's thread.
 */
public final class SubscriptionList {
    /** Subscriptions and their local destinations, in the order in which they were added. */
    private final List<Subscription> all = new ArrayList<>();

    private final List<Subscription> shown = Collections.unmodifiableList(all);
    private final Long2ObjectHashMap<Subscription> byRegistration = new Long2ObjectHashMap<>();
    private final OwnedIds ids = new OwnedIds();
    private int removals;

    /** Adds a client's subscription. */
    void add(Subscription subscription) {
        all.add(subscription);
        byRegistration.put(subscription.registrationId(), subscription);
        ids.add(subscription.clientId(), subscription.registrationId());
    }

    /** Adds an IPC or spy destination of a manual subscription. */
    void addLocal(Subscription local) {
        all.add(local);
    }

    /** Removes a client's subscription. */
    void remove(Subscription subscription) {
        removeLocal(subscription);
        byRegistration.remove(subscription.registrationId());
        ids.remove(subscription.clientId(), subscription.registrationId());
        removals++;
    }

    /**
     * Removes an IPC or spy destination. Compares by identity, because comparing records by value
     * is slow.
     */
    void removeLocal(Subscription local) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i) == local) {
                all.remove(i);
                return;
            }
        }
    }

    /** Returns a view of all subscriptions and their local destinations. */
    List<Subscription> all() {
        return shown;
    }

    /** Returns the number of clients' subscriptions. */
    int count() {
        return byRegistration.size();
    }

    /** Returns a client's subscription; null if there is none with this registration id. */
    public Subscription get(long registrationId) {
        return byRegistration.get(registrationId);
    }

    /** Returns a copy of the IPC and spy destinations of a manual subscription. */
    List<Subscription> localsOf(Subscription subscription) {
        return all.stream()
                .filter(
                        other ->
                                other.endpoint() == null
                                        && other != subscription
                                        && other.registrationId() == subscription.registrationId())
                .toList();
    }

    /** Returns the subscription whose endpoint the channel refers to by tag, or null. */
    Subscription tagged(ChannelUri channel) {
        for (Subscription each : all) {
            if (each.endpoint() != null
                    && NamedPublications.hasSamePlaceTag(each.channel(), channel)) {
                return each;
            }
        }
        return null;
    }

    /** Returns whether any client has a subscription with this registration id. */
    public boolean contains(long registrationId) {
        return byRegistration.containsKey(registrationId);
    }

    /** Returns the subscription that a client has under this registration id, or null. */
    public Subscription get(long clientId, long registrationId) {
        Subscription subscription = byRegistration.get(registrationId);
        return subscription == null || subscription.clientId() != clientId ? null : subscription;
    }

    /** Returns a client's subscriptions, in the order in which they were added. */
    public List<Subscription> of(long clientId) {
        return Arrays.stream(ids.of(clientId)).mapToObj(byRegistration::get).toList();
    }

    /** Returns the number of subscriptions of clients removed so far. */
    public int removals() {
        return removals;
    }

    /** Returns whether a stream has a matching subscription. */
    public boolean hasFor(InboundEndpoint endpoint, int streamId, int sessionId) {
        return first(endpoint, streamId, sessionId) != null;
    }

    /**
     * Returns the sorted stream ids of the subscriptions at an endpoint, to explain why none of
     * them matches the offered stream.
     *
     * @return the stream ids, or null if a subscription matches the offered stream.
     */
    public SortedSet<Integer> streamsInsteadOf(
            InboundEndpoint endpoint, int streamId, int sessionId) {
        SortedSet<Integer> streams = new TreeSet<>();
        for (Subscription subscription : all) {
            if (subscription.matches(endpoint, streamId, sessionId)) {
                return null;
            }
            if (subscription.endpoint() == endpoint) {
                streams.add(subscription.streamId());
            }
        }
        return streams;
    }

    /** Returns the first subscription that matches a stream, or null. */
    public Subscription first(InboundEndpoint endpoint, int streamId, int sessionId) {
        for (Subscription subscription : all) {
            if (subscription.matches(endpoint, streamId, sessionId)) {
                return subscription;
            }
        }
        return null;
    }

    /** Returns the last subscription that matches a stream, or null. */
    public Subscription newest(InboundEndpoint endpoint, int streamId, int sessionId) {
        Subscription newest = null;
        for (Subscription subscription : all) {
            if (subscription.matches(endpoint, streamId, sessionId)) {
                newest = subscription;
            }
        }
        return newest;
    }
}
