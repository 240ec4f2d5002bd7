// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.driver.command.CommandException;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.InboundEndpoint;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The status of each endpoint that subscriptions receive at: one for all of them there. Conductor's
 * thread.
 */
public final class ReceiveStatuses {
    private final DriverCounters counters;
    private final Shares shares;
    private final Map<InboundEndpoint, ChannelStatus> all = new IdentityHashMap<>();

    /**
     * @param shares of clients, in which places count.
     */
    public ReceiveStatuses(DriverCounters counters, Shares shares) {
        this.counters = counters;
        this.shares = shares;
    }

    /**
     * A subscription receives at an endpoint.
     *
     * @param receiver whose share a new place counts in.
     * @param channel that it was added with.
     * @param boundTo local address; null if the endpoint has none of its own.
     * @return counter of the status.
     * @throws CommandException if there is no counter left, or the client has too many places.
     */
    public int enter(
            InboundEndpoint endpoint,
            DriverCounters.Registration receiver,
            String channel,
            String boundTo) {
        ChannelStatus status = all.get(endpoint);
        if (status == null) {
            status = ChannelStatus.receiving(counters, shares, receiver, channel, boundTo);
            all.put(endpoint, status);
        } else {
            status.enter();
        }
        return status.counterId();
    }

    /** Counter of the status of an endpoint at which a subscription receives. */
    public int counterId(InboundEndpoint endpoint) {
        return all.get(endpoint).counterId();
    }

    /**
     * An endpoint is at another local address.
     *
     * @throws CommandException if there is no counter left.
     */
    public void move(InboundEndpoint endpoint) {
        ChannelStatus status = all.get(endpoint);
        if (status != null) {
            status.bound(endpoint.description());
        }
    }

    /** A subscription receives at an endpoint no more. */
    public void leave(InboundEndpoint endpoint) {
        if (all.get(endpoint).leave()) {
            all.remove(endpoint);
        }
    }
}
