// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** The endpoints with destinations that are added one by one. Conductor's thread. */
final class ManualEndpoints {
    private final Transports transports;
    private final DriverCounters counters;
    private final Shares shares;
    private final List<ManualEndpoint> all = new ArrayList<>();
    private BiConsumer<ManualEndpoint, InboundEndpoint> removals;

    ManualEndpoints(Transports transports, DriverCounters counters, Shares shares) {
        this.shares = shares;
        this.transports = transports;
        this.counters = counters;
    }

    /** Must be set before any destination is removed: told of each. */
    void removals(BiConsumer<ManualEndpoint, InboundEndpoint> handler) {
        removals = handler;
    }

    /** Opens an endpoint, which has no destinations yet. */
    ManualEndpoint open(String description) {
        ManualEndpoint endpoint = new ManualEndpoint(description);
        all.add(endpoint);
        return endpoint;
    }

    /** The endpoint that has a destination, or null. */
    ManualEndpoint of(InboundEndpoint destination) {
        for (ManualEndpoint endpoint : all) {
            if (endpoint.has(destination)) {
                return endpoint;
            }
        }
        return null;
    }

    /**
     * Adds a destination of peers' streams.
     *
     * @param subscription of the client that adds it, in whose share it counts.
     * @param statusId counter of the endpoint's state.
     * @param named channel in the client's words, its names looked up.
     * @return the place; its transport is to be told which streams are wanted there.
     * @throws BusException if the place cannot be received at, or is in use.
     */
    ManualEndpoint.Destination add(
            ManualEndpoint endpoint,
            DriverCounters.Registration subscription,
            int statusId,
            ChannelUri named) {
        long weight = Shares.weight(named);
        shares.require(Share.DESTINATIONS, subscription.clientId(), weight);
        ChannelUri carried = transports.carriers().carried(named);
        Transport transport = transports.of(carried);
        InboundEndpoint place = transport.openDestination(carried);
        AtomicCounter address;
        try {
            address = address(subscription, statusId, place);
        } catch (CommandException e) {
            transport.closeEndpoint(place);
            throw e;
        }
        ManualEndpoint.Destination destination =
                new ManualEndpoint.Destination(subscription, named, transport, place, address);
        shares.take(Share.DESTINATIONS, subscription.clientId(), weight);
        endpoint.destinations().add(destination);
        return destination;
    }

    private AtomicCounter address(
            DriverCounters.Registration subscription, int statusId, InboundEndpoint place) {
        try {
            AtomicCounter address =
                    counters.localAddress(
                            "rcv-local-sockaddr", subscription, statusId, place.description());
            address.setRelease(1);
            return address;
        } catch (BusException e) {
            throw new CommandException(
                    ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE, e.getMessage(), e);
        }
    }

    /** The place of a destination is at another local address. */
    void move(ManualEndpoint endpoint, InboundEndpoint place, int statusId) {
        endpoint.destinations()
                .replaceAll(each -> each.endpoint() == place ? moved(each, statusId) : each);
    }

    private ManualEndpoint.Destination moved(ManualEndpoint.Destination from, int statusId) {
        from.address().close();
        return new ManualEndpoint.Destination(
                from.subscription(),
                from.named(),
                from.transport(),
                from.endpoint(),
                address(from.subscription(), statusId, from.endpoint()));
    }

    /** Removes a destination, unless the endpoint has none such. */
    void remove(ManualEndpoint endpoint, ChannelUri named) {
        for (ManualEndpoint.Destination each : List.copyOf(endpoint.destinations())) {
            if (each.named().equals(named)) {
                remove(endpoint, each);
                return;
            }
        }
    }

    private void remove(ManualEndpoint endpoint, ManualEndpoint.Destination destination) {
        endpoint.destinations().remove(destination);
        removals.accept(endpoint, destination.endpoint());
        destination.transport().closeEndpoint(destination.endpoint());
        destination.address().close();
        shares.giveBack(
                Share.DESTINATIONS,
                destination.subscription().clientId(),
                Shares.weight(destination.named()));
    }

    /** A subscription receives at an endpoint no more: the last takes it along. */
    void leave(ManualEndpoint endpoint) {
        if (endpoint.leave()) {
            List.copyOf(endpoint.destinations()).forEach(each -> remove(endpoint, each));
            all.remove(endpoint);
        }
    }
}
