// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundTransport;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Endpoint of subscriptions whose destinations are added one by one. Streams that arrive at any
 * destination reach every subscription here. Used by the conductor's thread.
 */
public final class ManualEndpoint implements InboundEndpoint {
    /**
     * A destination that receives peers' streams.
     *
     * @param subscription subscription that added the destination, and whose client is charged for
     *     it.
     * @param named channel as the client wrote it.
     * @param address counter of the local address.
     */
    public record Destination(
            DriverCounters.Registration subscription,
            ChannelUri named,
            InboundTransport transport,
            InboundEndpoint endpoint,
            AtomicCounter address) {}

    private final String description;
    private final List<Destination> destinations = new ArrayList<>();
    private int users;

    /**
     * @param description description of the endpoint, for messages.
     */
    public ManualEndpoint(String description) {
        this.description = description;
    }

    @Override
    public String description() {
        return description;
    }

    public List<Destination> destinations() {
        return destinations;
    }

    public boolean has(InboundEndpoint endpoint) {
        return destinations.stream().anyMatch(each -> each.endpoint == endpoint);
    }

    /** Returns a destination's host and port as its channel names them. */
    public String address(InboundEndpoint endpoint) {
        for (Destination each : destinations) {
            if (each.endpoint == endpoint && each.named.hasEndpoint()) {
                return each.named.endpoint().toString();
            }
        }
        return endpoint.description();
    }

    /** Returns whether the given destination is the only one. */
    public boolean hasOnly(InboundEndpoint endpoint) {
        return destinations.stream().allMatch(each -> each.endpoint == endpoint);
    }

    /** Adds a subscription. */
    public void enter() {
        users++;
    }

    /** Removes a subscription; returns whether it was the last. */
    public boolean leave() {
        users--;
        return users == 0;
    }
}
