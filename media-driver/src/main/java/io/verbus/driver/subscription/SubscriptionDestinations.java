// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.channel.ReceiveStatuses;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.Opening;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;

import java.util.function.UnaryOperator;

/** The destinations of manual subscriptions. Used by the conductor's thread. */
public final class SubscriptionDestinations {
    private final UnaryOperator<ChannelUri> presets;
    private final ManualEndpoints manuals;
    private final ReceiveStatuses statuses;
    private final SubscriptionList list;
    private final Sources sources;
    private final Shares shares;

    SubscriptionDestinations(
            UnaryOperator<ChannelUri> presets,
            ManualEndpoints manuals,
            ReceiveStatuses statuses,
            SubscriptionList list,
            Sources sources,
            Shares shares) {
        this.presets = presets;
        this.manuals = manuals;
        this.statuses = statuses;
        this.list = list;
        this.sources = sources;
        this.shares = shares;
    }

    /**
     * Adds a destination to a subscription, now or once its endpoint is open.
     *
     * @param named channel of the destination to add, with resolved names.
     * @param answer callback that answers the client before any events about images are sent.
     * @throws io.verbus.BusException if the subscription does not support destinations, or the
     *     destination cannot be used.
     */
    public Opening add(Subscription subscription, ChannelUri named, Runnable answer) {
        ManualEndpoint endpoint = manual(subscription);
        if (!Subscriptions.isOfPeers(named)) {
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
            list.addLocal(local);
            answer.run();
            sources.joinAll(local);
            return Opening.NONE;
        }
        named.checkReceiveDestination();
        ManualEndpoints.Place place = manuals.open(subscription.clientId(), named);
        return new Opening(
                place.endpoint().opened(),
                () -> add(subscription, endpoint, named, place, answer),
                place::close);
    }

    private void add(
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
        for (Subscription each : list.all()) {
            if (each.endpoint() == endpoint) {
                added.transport().onSubscriptionAdded(added.endpoint(), each.streamId());
            }
        }
    }

    /**
     * Removes a destination from a subscription. Removing an unknown destination has no effect.
     *
     * @param answer callback that answers the client before any events about images are sent.
     * @throws CommandException if the subscription does not support destinations.
     */
    public void remove(Subscription subscription, ChannelUri named, Runnable answer) {
        ManualEndpoint endpoint = manual(subscription);
        answer.run();
        if (Subscriptions.isOfPeers(named)) {
            manuals.remove(endpoint, named);
            return;
        }
        for (Subscription local : list.localsOf(subscription)) {
            if (local.channel().equals(presets.apply(named))) {
                removeLocal(local);
                sources.end(local);
                return;
            }
        }
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

    private void removeLocal(Subscription local) {
        list.removeLocal(local);
        shares.giveBack(Share.DESTINATIONS, local.clientId(), Shares.weight(local.channel()));
    }

    /** Removes the IPC and spy destinations of a subscription that was closed. */
    void removeAll(Subscription subscription) {
        for (Subscription local : list.localsOf(subscription)) {
            removeLocal(local);
            sources.leave(local);
        }
    }
}
