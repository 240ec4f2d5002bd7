// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.Transport;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Where subscriptions receive whose destinations are added one by one: what comes to one of the
 * destinations comes to each subscription here. Conductor's thread.
 */
public final class ManualEndpoint implements InboundEndpoint {
    /**
     * A destination of peers' streams.
     *
     * @param subscription that has added it, in the share of whose client it counts.
     * @param named channel in the client's words.
     * @param address counter of the local address.
     */
    public record Destination(
            DriverCounters.Registration subscription,
            ChannelUri named,
            Transport transport,
            InboundEndpoint endpoint,
            AtomicCounter address) {}

    private final String description;
    private final List<Destination> destinations = new ArrayList<>();
    private int users;

    /**
     * @param description for people.
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

    /** Whether there is no destination but one. */
    public boolean hasOnly(InboundEndpoint endpoint) {
        return destinations.stream().allMatch(each -> each.endpoint == endpoint);
    }

    /** One more subscription receives here. */
    public void enter() {
        users++;
    }

    /** A subscription receives here no more; whether it was the last. */
    public boolean leave() {
        users--;
        return users == 0;
    }
}
