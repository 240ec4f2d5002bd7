// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.driver.channel.ManualEndpoint;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.transports.Transports;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Manages endpoints whose destinations are added one by one. Used by the conductor's thread. */
public final class ManualEndpoints {
    private final Transports transports;
    private final DriverCounters counters;
    private final Shares shares;
    private final List<ManualEndpoint> all = new ArrayList<>();
    private BiConsumer<ManualEndpoint, InboundEndpoint> removals;

    public ManualEndpoints(Transports transports, DriverCounters counters, Shares shares) {
        this.shares = shares;
        this.transports = transports;
        this.counters = counters;
    }

    /**
     * Sets the handler for removed destinations. Must be called before any destination is removed.
     */
    public void removals(BiConsumer<ManualEndpoint, InboundEndpoint> handler) {
        removals = handler;
    }

    /** Opens an endpoint without destinations. */
    ManualEndpoint open(String description) {
        ManualEndpoint endpoint = new ManualEndpoint(description);
        all.add(endpoint);
        return endpoint;
    }

    /** Returns the endpoint to which a destination belongs, or null. */
    public ManualEndpoint of(InboundEndpoint destination) {
        for (ManualEndpoint endpoint : all) {
            if (endpoint.has(destination)) {
                return endpoint;
            }
        }
        return null;
    }

    /**
     * The endpoint of one destination. The endpoint may still be opening.
     *
     * @param transport transport of the endpoint.
     * @param endpoint endpoint of the destination. Once it is open, it must be added, or closed.
     */
    record Place(InboundTransport transport, InboundEndpoint endpoint) {
        void close() {
            transport.closeEndpoint(endpoint);
        }
    }

    /**
     * Opens the endpoint of a destination that receives streams from peers.
     *
     * @param clientId client whose shares the endpoint counts towards.
     * @param named channel as the client wrote it, with resolved names.
     * @throws BusException if the address cannot be used.
     */
    Place open(long clientId, ChannelUri named) {
        shares.require(Share.DESTINATIONS, clientId, Shares.weight(named));
        ChannelUri carried = transports.carriers().carried(named);
        InboundTransport transport = transports.of(carried).inbound();
        return new Place(transport, transport.openDestination(carried));
    }

    /**
     * Adds a destination whose endpoint is open. If that fails, closes the endpoint.
     *
     * @param subscription subscription of the client that adds the destination, which counts
     *     towards the client's shares.
     * @param statusId id of the endpoint's status counter.
     * @param named channel as the client wrote it, with resolved names.
     * @param place endpoint of the destination.
     * @return the destination; the caller must then request the wanted streams from the transport.
     * @throws BusException if the client has too many destinations, or counters are exhausted.
     */
    ManualEndpoint.Destination add(
            ManualEndpoint endpoint,
            DriverCounters.Registration subscription,
            int statusId,
            ChannelUri named,
            Place place) {
        AtomicCounter address;
        try {
            address = address(subscription, statusId, place.endpoint());
        } catch (BusException e) {
            place.close();
            throw e;
        }
        ManualEndpoint.Destination destination =
                new ManualEndpoint.Destination(
                        subscription, named, place.transport(), place.endpoint(), address);
        try {
            shares.take(Share.DESTINATIONS, subscription.clientId(), Shares.weight(named));
        } catch (ShareException e) {
            address.close();
            place.close();
            throw e;
        }
        endpoint.destinations().add(destination);
        return destination;
    }

    private AtomicCounter address(
            DriverCounters.Registration subscription, int statusId, InboundEndpoint place) {
        AtomicCounter address =
                counters.localAddress(
                        "rcv-local-sockaddr", subscription, statusId, place.description());
        address.setRelease(1);
        return address;
    }

    /** Updates a destination whose local address has changed. */
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

    /** Removes a destination. Removing an unknown destination has no effect. */
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

    /** Removes a subscription from an endpoint; the last one closes the endpoint. */
    void leave(ManualEndpoint endpoint) {
        if (endpoint.leave()) {
            List.copyOf(endpoint.destinations()).forEach(each -> remove(endpoint, each));
            all.remove(endpoint);
        }
    }
}
