// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.InboundEndpoint;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Channel status of each endpoint that subscriptions receive at; all subscriptions at an endpoint
 * share it. Used by the conductor's thread.
 */
public final class ReceiveStatuses {
    private final DriverCounters counters;
    private final Shares shares;
    private final Map<InboundEndpoint, ChannelStatusIndicator> all = new IdentityHashMap<>();

    /**
     * @param shares clients' shares, in which addresses count.
     */
    public ReceiveStatuses(DriverCounters counters, Shares shares) {
        this.counters = counters;
        this.shares = shares;
    }

    /**
     * Adds a subscription at an endpoint.
     *
     * @param receiver receiver whose client is charged for a new address.
     * @param channel channel of the subscription.
     * @param boundTo local address; null if the endpoint does not bind one.
     * @return the id of the status counter.
     * @throws io.verbus.BusException if there is no counter left, or the client has too many
     *     addresses.
     */
    public int enter(
            InboundEndpoint endpoint,
            DriverCounters.Registration receiver,
            String channel,
            String boundTo) {
        ChannelStatusIndicator status = all.get(endpoint);
        if (status == null) {
            status = ChannelStatusIndicator.receiving(counters, shares, receiver, channel, boundTo);
            all.put(endpoint, status);
        } else {
            status.enter();
        }
        return status.counterId();
    }

    /** Returns the id of the status counter of an endpoint in use. */
    public int counterId(InboundEndpoint endpoint) {
        return all.get(endpoint).counterId();
    }

    /**
     * Updates the local address of an endpoint.
     *
     * @throws io.verbus.BusException if there is no counter left.
     */
    public void move(InboundEndpoint endpoint) {
        ChannelStatusIndicator status = all.get(endpoint);
        if (status != null) {
            status.bound(endpoint.description());
        }
    }

    /** Removes a subscription from an endpoint. */
    public void leave(InboundEndpoint endpoint) {
        if (all.get(endpoint).leave()) {
            all.remove(endpoint);
        }
    }
}
