// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.channel.AwaitedSession;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.channel.ReceiveStatuses;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.command.Opening;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ShownState;
import io.verbus.driver.transports.Transports;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Manages subscriptions and their channels, and joins each subscription to its sources. Used by the
 * conductor's thread.
 */
public final class Subscriptions {
    private final Transports transports;
    private final ManualEndpoints manuals;
    private final EventEncoder events;
    private final ReceiveStatuses statuses;
    private final DriverCounters counters;
    private final AtomicCounter count;
    private final Shares shares;

    private final SubscriptionList list = new SubscriptionList();
    private final MissingImages missing;
    private final Sources sources;
    private final UnaryOperator<ChannelUri> presets;
    private final SubscriptionDestinations destinations;

    /**
     * @param presets function that completes a channel with the driver's defaults.
     */
    public Subscriptions(
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
        this.missing = new MissingImages(list, events);
        this.counters = counters;
        this.sources = new Sources(counters, clientErrors);
        this.statuses = new ReceiveStatuses(counters, shares);
        this.count = counters.system(SystemCounter.SUBSCRIPTIONS);
        this.destinations =
                new SubscriptionDestinations(presets, manuals, statuses, list, sources, shares);
    }

    /**
     * Adds a subscription now, or once its endpoint is open: answers its client, and joins the
     * subscription to the existing sources.
     *
     * @throws io.verbus.BusException if its channel cannot be used.
     */
    public Opening add(long clientId, long correlationId, int streamId, ChannelUri asked) {
        // Checked again when the subscription is added, because the completed channel may be
        // longer.
        shares.require(Share.SUBSCRIPTIONS, clientId, Shares.weight(asked));
        asked.checkSubscribable();
        asked.checkStream(streamId);
        if (!isOfPeers(asked)) {
            add(
                    clientId,
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
        Subscription tagged = list.tagged(asked);
        ChannelUri channel =
                NamedPublications.placed(asked, tagged == null ? null : tagged.channel());
        if (channel.isManual()) {
            addManual(clientId, correlationId, streamId, channel, tagged);
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
                                clientId,
                                correlationId,
                                streamId,
                                asked,
                                channel,
                                enter(clientId, correlationId, asked, transport, endpoint),
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
            long clientId,
            long correlationId,
            ChannelUri asked,
            InboundTransport transport,
            InboundEndpoint endpoint) {
        try {
            return statuses.enter(
                    endpoint,
                    new DriverCounters.Registration(correlationId, clientId),
                    asked.toString(),
                    endpoint.description());
        } catch (BusException e) {
            transport.closeEndpoint(endpoint);
            throw e;
        }
    }

    private void add(
            long clientId,
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
                        clientId,
                        presets.apply(channel),
                        streamId,
                        carrier,
                        transport,
                        endpoint,
                        channel.response().isResponse() && channel.sessionId().isEmpty()
                                ? new AwaitedSession()
                                : null,
                        new ShownState(counters));
        register(subscription, asked, carrier == null ? media(channel) : carrier, statusId);
        if (channel.response().isResponse()) {
            channel.sessionId().ifPresent(sessionId -> await(subscription, sessionId));
        } else if (transport != null) {
            transport.onSubscriptionAdded(endpoint, streamId);
        }
    }

    /** Answers the client of a subscription, and joins the subscription to the existing sources. */
    private void register(Subscription subscription, ChannelUri asked, String media, int statusId) {
        try {
            SharedEndpoints.check(subscription, list.all());
            sources.requireCounters(subscription);
            show(subscription, asked, media);
            enter(subscription);
        } catch (BusException e) {
            subscription.shown().close();
            closeEndpoint(subscription);
            throw e;
        }
        events.subscriptionReady(subscription.registrationId(), statusId);
        sources.joinAll(subscription);
    }

    /**
     * Adds the counter that shows a subscription's state to operators.
     *
     * @throws BusException if there is no counter left.
     */
    private void show(Subscription subscription, ChannelUri asked, String media) {
        DriverCounters.Stream of =
                new DriverCounters.Stream(
                        subscription.registrationId(),
                        subscription.clientId(),
                        asked.sessionId().orElse(0),
                        subscription.streamId(),
                        asked.toString());
        subscription
                .shown()
                .add(
                        CounterTypes.SUBSCRIPTION_STATE,
                        "sub-state",
                        of,
                        subscription.registrationId(),
                        media);
    }

    private static String media(ChannelUri channel) {
        return channel.isSpy() ? "spy" : channel.media();
    }

    private void enter(Subscription subscription) {
        shares.take(
                Share.SUBSCRIPTIONS,
                subscription.clientId(),
                Shares.weight(subscription.channel()));
        list.add(subscription);
        count.setRelease(list.count());
    }

    /**
     * Handles the session of a publication that responds to a client's requests.
     *
     * @param registrationId registration id of the subscription, which may have closed or may
     *     already know its session.
     * @param sessionId session id of the publication.
     */
    public void onResponses(long registrationId, int sessionId) {
        Subscription subscription = list.get(registrationId);
        AwaitedSession awaited = subscription == null ? null : subscription.awaited();
        if (awaited != null && !awaited.isKnown()) {
            awaited.know(sessionId);
            sources.joinAll(subscription);
            await(subscription, sessionId);
        }
    }

    private static void await(Subscription subscription, int sessionId) {
        if (subscription.transport() != null) {
            subscription
                    .transport()
                    .awaitResponses(subscription.endpoint(), subscription.streamId(), sessionId);
        }
    }

    /** Returns whether a channel brings streams of peers, over a transport. */
    static boolean isOfPeers(ChannelUri channel) {
        return !channel.isIpc() && !channel.isSpy();
    }

    /** Adds a subscription whose destinations are added one by one. */
    private void addManual(
            long clientId,
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
                            new DriverCounters.Registration(correlationId, clientId),
                            channel.toString(),
                            null);
        } catch (BusException e) {
            manuals.leave(endpoint);
            throw e;
        }
        Subscription subscription =
                new Subscription(
                        correlationId,
                        clientId,
                        presets.apply(channel),
                        streamId,
                        null,
                        null,
                        endpoint,
                        null,
                        new ShownState(counters));
        register(subscription, channel, "sources", statusId);
        for (ManualEndpoint.Destination each : endpoint.destinations()) {
            each.transport().onSubscriptionAdded(each.endpoint(), streamId);
        }
    }

    /** Returns the destinations of manual subscriptions. */
    public SubscriptionDestinations destinations() {
        return destinations;
    }

    /** Handles a change of an endpoint's local address. */
    public void onLocalAddressChanged(InboundEndpoint endpoint) {
        ManualEndpoint manual = manuals.of(endpoint);
        if (manual != null) {
            manuals.move(manual, endpoint, statuses.counterId(manual));
        } else {
            statuses.move(endpoint);
        }
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

    /** Removes a subscription that its client has closed, unless it was removed. */
    public void remove(Subscription subscription) {
        if (list.get(subscription.registrationId()) != subscription) {
            return;
        }
        if (subscription.endpoint() instanceof ManualEndpoint) {
            destinations.removeAll(subscription);
        }
        list.remove(subscription);
        shares.giveBack(
                Share.SUBSCRIPTIONS,
                subscription.clientId(),
                Shares.weight(subscription.channel()));
        missing.forget(subscription);
        count.setRelease(list.count());
        sources.leave(subscription);
        subscription.shown().close();
        forget(subscription);
        closeEndpoint(subscription);
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

    /** Adds a source and joins the matching subscriptions. */
    public void addSource(Subscribable source) {
        List<Subscription> all = list.all();
        for (int i = 0; i < all.size(); i++) {
            if (source.serves(all.get(i))) {
                missing.forget(all.get(i));
            }
        }
        sources.add(source);
        joinAll(source);
    }

    /** Joins a source to the matching subscriptions that do not read it yet. */
    public void joinAll(Subscribable source) {
        List<Subscription> all = list.all();
        for (int i = 0; i < all.size(); i++) {
            sources.join(source, all.get(i));
        }
    }

    /** Returns the existing sources. */
    public Sources sources() {
        return sources;
    }

    /** Returns the subscriptions of all clients. */
    public SubscriptionList list() {
        return list;
    }

    /** Returns the reports of images that cannot exist. */
    public MissingImages missing() {
        return missing;
    }
}
