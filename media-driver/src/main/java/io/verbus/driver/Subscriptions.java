// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.channel.AwaitedSession;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.channel.ReceiveStatuses;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.Opening;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ShownState;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * Manages subscriptions and their channels, and joins each subscription to its sources. Used by the
 * conductor's thread.
 */
final class Subscriptions {
    /** Maximum number of failure reasons reported to one subscription. */
    private static final int MAX_FAILURES = 16;

    private final Transports transports;
    private final ManualEndpoints manuals;
    private final EventEncoder events;
    private final ReceiveStatuses statuses;
    private final DriverCounters counters;
    private final AtomicCounter count;
    private final Shares shares;

    /**
     * Clients' subscriptions and their IPC and spy destinations, in the order in which they were
     * added.
     */
    private final List<Subscription> all = new ArrayList<>();

    private final Long2ObjectHashMap<Subscription> byRegistration = new Long2ObjectHashMap<>();
    private final Sources sources;
    private final UnaryOperator<ChannelUri> presets;

    /**
     * Reasons for missing images that were already reported, by the registration id of the waiting
     * subscription.
     */
    private final Long2ObjectHashMap<Set<String>> failures = new Long2ObjectHashMap<>();

    private int removals;

    /**
     * @param presets function that completes a channel with the driver's defaults.
     */
    Subscriptions(
            UnaryOperator<ChannelUri> presets,
            Transports transports,
            ManualEndpoints manuals,
            EventEncoder events,
            DriverCounters counters,
            Shares shares,
            CommandFailures clientErrors) {
        this.shares = shares;
        this.presets = presets;
        this.transports = transports;
        this.manuals = manuals;
        this.events = events;
        this.counters = counters;
        this.sources = new Sources(counters, clientErrors);
        this.statuses = new ReceiveStatuses(counters, shares);
        this.count = counters.system(SystemCounter.SUBSCRIPTIONS);
    }

    /**
     * Adds a subscription now, or once its endpoint is open: answers its client, and joins the
     * subscription to the existing sources.
     *
     * @throws io.verbus.BusException if its channel cannot be used.
     */
    Opening add(Client client, long correlationId, int streamId, ChannelUri asked) {
        // Checked again when the subscription is added, because the completed channel may be
        // longer.
        shares.require(Share.SUBSCRIPTIONS, client.id(), Shares.weight(asked));
        asked.checkSubscribable();
        asked.checkStream(streamId);
        if (!isOfPeers(asked)) {
            add(
                    client,
                    correlationId,
                    streamId,
                    asked,
                    asked,
                    EventEncoder.NO_COUNTER,
                    null,
                    null,
                    null);
            return Opening.NONE;
        }
        Subscription tagged = tagged(asked);
        ChannelUri channel =
                NamedPublications.placed(asked, tagged == null ? null : tagged.channel());
        if (channel.isManual()) {
            addManual(client, correlationId, streamId, channel, tagged);
            return Opening.NONE;
        }
        ChannelUri carried = transports.carriers().carried(channel);
        String carrier = carried.media().equals(channel.media()) ? null : carried.media();
        InboundTransport transport = transports.of(carried).inbound();
        InboundEndpoint endpoint = open(transport, carried, tagged);
        return new Opening(
                endpoint.opened(),
                () ->
                        add(
                                client,
                                correlationId,
                                streamId,
                                asked,
                                channel,
                                enter(client, correlationId, asked, transport, endpoint),
                                carrier,
                                transport,
                                endpoint),
                () -> transport.closeEndpoint(endpoint));
    }

    /**
     * Returns the id of the status counter of an open endpoint. Closes the endpoint if counters are
     * exhausted.
     */
    private int enter(
            Client client,
            long correlationId,
            ChannelUri asked,
            InboundTransport transport,
            InboundEndpoint endpoint) {
        try {
            return statuses.enter(
                    endpoint,
                    new DriverCounters.Registration(correlationId, client.id()),
                    asked.toString(),
                    endpoint.description());
        } catch (CommandException e) {
            transport.closeEndpoint(endpoint);
            throw e;
        }
    }

    private void add(
            Client client,
            long correlationId,
            int streamId,
            ChannelUri asked,
            ChannelUri channel,
            int statusId,
            String carrier,
            InboundTransport transport,
            InboundEndpoint endpoint) {
        Subscription subscription =
                new Subscription(
                        correlationId,
                        client.id(),
                        presets.apply(channel),
                        streamId,
                        carrier,
                        transport,
                        endpoint,
                        channel.response().isResponse() && channel.sessionId().isEmpty()
                                ? new AwaitedSession()
                                : null,
                        new ShownState(counters));
        try {
            SharedEndpoints.check(subscription, all);
            sources.requireCounters(subscription);
            show(subscription, asked, carrier == null ? media(channel) : carrier);
            enter(client, subscription);
        } catch (BusException e) {
            subscription.shown().close();
            closeEndpoint(subscription);
            throw e;
        }
        events.subscriptionReady(correlationId, statusId);
        sources.joinAll(subscription);
        if (channel.response().isResponse()) {
            channel.sessionId().ifPresent(sessionId -> await(subscription, sessionId));
        } else if (transport != null) {
            transport.onSubscriptionAdded(endpoint, streamId);
        }
    }

    /**
     * Adds the counter that shows a subscription's state to operators.
     *
     * @throws CommandException if there is no counter left.
     */
    private void show(Subscription subscription, ChannelUri asked, String media) {
        DriverCounters.Stream of =
                new DriverCounters.Stream(
                        subscription.registrationId(),
                        subscription.clientId(),
                        asked.sessionId().orElse(0),
                        subscription.streamId(),
                        asked.toString());
        try {
            subscription
                    .shown()
                    .add(
                            CounterTypes.SUBSCRIPTION_STATE,
                            "sub-state",
                            of,
                            subscription.registrationId(),
                            media);
        } catch (BusException e) {
            throw new CommandException(
                    ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE, e.getMessage(), e);
        }
    }

    private static String media(ChannelUri channel) {
        return channel.isSpy() ? "spy" : channel.media();
    }

    private void enter(Client client, Subscription subscription) {
        shares.take(Share.SUBSCRIPTIONS, client.id(), Shares.weight(subscription.channel()));
        all.add(subscription);
        byRegistration.put(subscription.registrationId(), subscription);
        client.subscriptions().put(subscription.registrationId(), subscription);
        count.setRelease(byRegistration.size());
    }

    /**
     * Handles the session of a publication that responds to a client's requests.
     *
     * @param registrationId registration id of the subscription, which may have closed or may
     *     already know its session.
     * @param sessionId session id of the publication.
     */
    void onResponses(long registrationId, int sessionId) {
        for (Subscription subscription : List.copyOf(all)) {
            AwaitedSession awaited = subscription.awaited();
            if (awaited != null
                    && !awaited.isKnown()
                    && subscription.registrationId() == registrationId) {
                awaited.know(sessionId);
                sources.joinAll(subscription);
                await(subscription, sessionId);
            }
        }
    }

    private static void await(Subscription subscription, int sessionId) {
        if (subscription.transport() != null) {
            subscription
                    .transport()
                    .awaitResponses(subscription.endpoint(), subscription.streamId(), sessionId);
        }
    }

    private static boolean isOfPeers(ChannelUri channel) {
        return !channel.isIpc() && !channel.isSpy();
    }

    /** Adds a subscription whose destinations are added one by one. */
    private void addManual(
            Client client,
            long correlationId,
            int streamId,
            ChannelUri channel,
            Subscription tagged) {
        ManualEndpoint endpoint =
                tagged == null
                        ? manuals.open(channel.toString())
                        : (ManualEndpoint) tagged.endpoint();
        endpoint.enter();
        int statusId;
        try {
            statusId =
                    statuses.enter(
                            endpoint,
                            new DriverCounters.Registration(correlationId, client.id()),
                            channel.toString(),
                            null);
        } catch (CommandException e) {
            manuals.leave(endpoint);
            throw e;
        }
        Subscription subscription =
                new Subscription(
                        correlationId,
                        client.id(),
                        presets.apply(channel),
                        streamId,
                        null,
                        null,
                        endpoint,
                        null,
                        new ShownState(counters));
        try {
            SharedEndpoints.check(subscription, all);
            show(subscription, channel, "sources");
            enter(client, subscription);
        } catch (BusException e) {
            subscription.shown().close();
            closeEndpoint(subscription);
            throw e;
        }
        events.subscriptionReady(correlationId, statusId);
        sources.joinAll(subscription);
        for (ManualEndpoint.Destination each : endpoint.destinations()) {
            each.transport().onSubscriptionAdded(each.endpoint(), streamId);
        }
    }

    /**
     * Adds a destination to a subscription, now or once its endpoint is open.
     *
     * @param named channel of the destination to add, with resolved names.
     * @param answer callback that answers the client before any events about images are sent.
     * @throws BusException if the subscription does not support destinations, or the destination
     *     cannot be used.
     */
    Opening addDestination(Subscription subscription, ChannelUri named, Runnable answer) {
        ManualEndpoint endpoint = manual(subscription);
        if (!isOfPeers(named)) {
            named.checkSubscribable();
            Subscription local =
                    new Subscription(
                            subscription.registrationId(),
                            subscription.clientId(),
                            presets.apply(named),
                            subscription.streamId(),
                            null,
                            null,
                            null,
                            null,
                            subscription.shown());
            shares.take(Share.DESTINATIONS, local.clientId(), Shares.weight(local.channel()));
            all.add(local);
            answer.run();
            sources.joinAll(local);
            return Opening.NONE;
        }
        named.checkReceiveDestination();
        ManualEndpoints.Place place = manuals.open(subscription.clientId(), named);
        return new Opening(
                place.endpoint().opened(),
                () -> addDestination(subscription, endpoint, named, place, answer),
                place::close);
    }

    private void addDestination(
            Subscription subscription,
            ManualEndpoint endpoint,
            ChannelUri named,
            ManualEndpoints.Place place,
            Runnable answer) {
        ManualEndpoint.Destination added =
                manuals.add(
                        endpoint,
                        new DriverCounters.Registration(
                                subscription.registrationId(), subscription.clientId()),
                        statuses.counterId(endpoint),
                        named,
                        place);
        answer.run();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).endpoint() == endpoint) {
                added.transport().onSubscriptionAdded(added.endpoint(), all.get(i).streamId());
            }
        }
    }

    /** Handles a change of an endpoint's local address. */
    void onLocalAddressChanged(InboundEndpoint endpoint) {
        ManualEndpoint manual = manuals.of(endpoint);
        if (manual != null) {
            manuals.move(manual, endpoint, statuses.counterId(manual));
        } else {
            statuses.move(endpoint);
        }
    }

    /**
     * Removes a destination from a subscription. Removing an unknown destination has no effect.
     *
     * @param answer callback that answers the client before any events about images are sent.
     * @throws CommandException if the subscription does not support destinations.
     */
    void removeDestination(Subscription subscription, ChannelUri named, Runnable answer) {
        ManualEndpoint endpoint = manual(subscription);
        answer.run();
        if (isOfPeers(named)) {
            manuals.remove(endpoint, named);
            return;
        }
        for (Subscription local : List.copyOf(all)) {
            if (isLocalOf(subscription, local) && local.channel().equals(presets.apply(named))) {
                removeLocal(local);
                sources.end(local);
                return;
            }
        }
    }

    private static boolean isLocalOf(Subscription subscription, Subscription other) {
        return other.endpoint() == null
                && other != subscription
                && other.registrationId() == subscription.registrationId();
    }

    private static ManualEndpoint manual(Subscription subscription) {
        if (subscription.endpoint() instanceof ManualEndpoint endpoint) {
            return endpoint;
        }
        throw new CommandException(
                ErrorCode.UNKNOWN_SUBSCRIPTION,
                "the subscription on '"
                        + subscription.channel()
                        + "' does not accept destinations: subscribe with control-mode=manual");
    }

    /** Returns the subscription whose endpoint the channel refers to by tag, or null. */
    private Subscription tagged(ChannelUri channel) {
        for (Subscription each : all) {
            if (each.endpoint() != null
                    && NamedPublications.hasSamePlaceTag(each.channel(), channel)) {
                return each;
            }
        }
        return null;
    }

    private static InboundEndpoint open(
            InboundTransport transport, ChannelUri channel, Subscription tagged) {
        if (tagged == null) {
            return transport.openEndpoint(channel);
        }
        transport.joinEndpoint(tagged.endpoint(), channel);
        return tagged.endpoint();
    }

    private void closeEndpoint(Subscription subscription) {
        if (subscription.endpoint() instanceof ManualEndpoint endpoint) {
            statuses.leave(endpoint);
            manuals.leave(endpoint);
        } else if (subscription.transport() != null) {
            statuses.leave(subscription.endpoint());
            subscription.transport().closeEndpoint(subscription.endpoint());
        }
    }

    boolean contains(long registrationId) {
        return byRegistration.containsKey(registrationId);
    }

    /** Returns whether a client has a subscription with this registration id. */
    boolean isOf(long clientId, long registrationId) {
        Subscription subscription = byRegistration.get(registrationId);
        return subscription != null && subscription.clientId() == clientId;
    }

    /** Removes a subscription that its client has closed. */
    void remove(Subscription subscription) {
        if (subscription.endpoint() instanceof ManualEndpoint) {
            for (Subscription local : List.copyOf(all)) {
                if (isLocalOf(subscription, local)) {
                    removeLocal(local);
                    sources.leave(local);
                }
            }
        }
        drop(subscription);
        byRegistration.remove(subscription.registrationId());
        shares.giveBack(
                Share.SUBSCRIPTIONS,
                subscription.clientId(),
                Shares.weight(subscription.channel()));
        removals++;
        failures.remove(subscription.registrationId());
        count.setRelease(byRegistration.size());
        sources.leave(subscription);
        subscription.shown().close();
        forget(subscription);
        closeEndpoint(subscription);
    }

    private void removeLocal(Subscription local) {
        drop(local);
        shares.giveBack(Share.DESTINATIONS, local.clientId(), Shares.weight(local.channel()));
    }

    /** Removes a subscription, comparing by identity because comparing records by value is slow. */
    private void drop(Subscription subscription) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i) == subscription) {
                all.remove(i);
                return;
            }
        }
    }

    private static void forget(Subscription subscription) {
        AwaitedSession awaited = subscription.awaited();
        boolean isAsking =
                awaited == null
                        ? subscription.channel().response().isResponse()
                        : awaited.isKnown();
        if (subscription.transport() != null && isAsking) {
            subscription
                    .transport()
                    .forgetResponses(
                            subscription.endpoint(),
                            subscription.streamId(),
                            awaited == null
                                    ? subscription.channel().sessionId().getAsInt()
                                    : awaited.sessionId());
        }
    }

    /** Returns the number of subscriptions removed so far. */
    int removals() {
        return removals;
    }

    /** Returns whether a stream has a matching subscription. */
    boolean hasFor(InboundEndpoint endpoint, int streamId, int sessionId) {
        return first(endpoint, streamId, sessionId) != null;
    }

    /**
     * Returns the sorted stream ids of the subscriptions at an endpoint, to explain why none of
     * them matches the offered stream.
     *
     * @return the stream ids, or null if a subscription matches the offered stream.
     */
    SortedSet<Integer> streamsInsteadOf(InboundEndpoint endpoint, int streamId, int sessionId) {
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
    Subscription first(InboundEndpoint endpoint, int streamId, int sessionId) {
        for (Subscription subscription : all) {
            if (subscription.matches(endpoint, streamId, sessionId)) {
                return subscription;
            }
        }
        return null;
    }

    /** Returns the last subscription that matches a stream, or null. */
    Subscription newest(InboundEndpoint endpoint, int streamId, int sessionId) {
        Subscription newest = null;
        for (Subscription subscription : all) {
            if (subscription.matches(endpoint, streamId, sessionId)) {
                newest = subscription;
            }
        }
        return newest;
    }

    /**
     * Reports to the waiting subscriptions why a stream cannot have an image. Each reason is
     * reported once, and the number of reasons is limited until an image arrives, because peers
     * determine how often this happens.
     */
    void tellFailed(
            InboundEndpoint endpoint, int streamId, int sessionId, String source, String reason) {
        for (Subscription subscription : all) {
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
                failures.computeIfAbsent(subscription.registrationId(), none -> new HashSet<>());
        return told.size() < MAX_FAILURES && told.add(reason);
    }

    /** Adds a source and joins the matching subscriptions. */
    void addSource(Subscribable source) {
        for (int i = 0; i < all.size(); i++) {
            if (source.serves(all.get(i))) {
                failures.remove(all.get(i).registrationId());
            }
        }
        sources.add(source);
        joinAll(source);
    }

    /** Joins a source to the matching subscriptions that do not read it yet. */
    void joinAll(Subscribable source) {
        for (int i = 0; i < all.size(); i++) {
            sources.join(source, all.get(i));
        }
    }

    /** Returns the existing sources. */
    Sources sources() {
        return sources;
    }
}
