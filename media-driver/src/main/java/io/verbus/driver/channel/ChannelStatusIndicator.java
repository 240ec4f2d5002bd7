// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.channel;

import io.verbus.BusException;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Status of an address that publications send to, or subscriptions receive at: a counter for its
 * state, and one for the local address once that is bound. Used by the conductor's thread.
 */
public final class ChannelStatusIndicator implements AutoCloseable {
    /** Value of an open channel, and of a bound address. */
    private static final long ACTIVE = 1;

    private final DriverCounters counters;
    private final String side;
    private final DriverCounters.Registration first;
    private final Shares shares;
    private final AtomicCounter state;

    /** Label of the state, without the local address. */
    private final String label;

    private AtomicCounter address;
    private boolean isBound;
    private int users = 1;

    private ChannelStatusIndicator(
            DriverCounters counters,
            Shares shares,
            String side,
            int typeId,
            DriverCounters.Registration first,
            String channel) {
        this.counters = counters;
        this.shares = shares;
        this.side = side;
        this.first = first;
        shares.require(Share.ENDPOINTS, first.clientId(), 1);
        state = counters.channel(typeId, side + "-channel", first, channel);
        shares.take(Share.ENDPOINTS, first.clientId(), 1);
        label = state.label();
        state.setRelease(ACTIVE);
    }

    /**
     * Creates the status of an address that publications send to.
     *
     * @param first first sender, whose client is charged for the address.
     * @param channel channel of the first sender.
     * @throws BusException if there is no counter left, or the client has too many addresses.
     */
    static ChannelStatusIndicator sending(
            DriverCounters counters,
            Shares shares,
            DriverCounters.Registration first,
            String channel) {
        return new ChannelStatusIndicator(
                counters, shares, "snd", CounterTypes.SEND_CHANNEL_STATUS, first, channel);
    }

    /**
     * Creates the status of an address that subscriptions receive at.
     *
     * @param first first receiver, whose client is charged for the address.
     * @param channel channel of the first receiver.
     * @param boundTo local address; null if the endpoint does not bind one.
     * @throws BusException if there is no counter left, or the client has too many addresses.
     */
    static ChannelStatusIndicator receiving(
            DriverCounters counters,
            Shares shares,
            DriverCounters.Registration first,
            String channel,
            String boundTo) {
        ChannelStatusIndicator status =
                new ChannelStatusIndicator(
                        counters,
                        shares,
                        "rcv",
                        CounterTypes.RECEIVE_CHANNEL_STATUS,
                        first,
                        channel);
        if (boundTo == null) {
            return status;
        }
        try {
            status.bound(boundTo);
            return status;
        } catch (BusException e) {
            status.close();
            throw e;
        }
    }

    /** Returns the id of the state counter. */
    public int counterId() {
        return state.id();
    }

    /** Returns whether the local address is published and current. */
    public boolean isBound() {
        return isBound;
    }

    /** Marks the published local address as out of date. */
    public void moved() {
        isBound = false;
    }

    /**
     * Publishes the local address, replacing the previous one.
     *
     * @param text host and port.
     * @throws BusException if there is no counter left; the address then remains unpublished.
     */
    public void bound(String text) {
        isBound = true;
        if (address != null) {
            address.close();
            address = null;
        }
        address = counters.localAddress(side + "-local-sockaddr", first, state.id(), text);
        counters.label(state, label + text);
        address.setRelease(ACTIVE);
    }

    void enter() {
        users++;
    }

    /**
     * Releases one reference; the last release closes the status. Returns whether it was the last.
     */
    boolean leave() {
        users--;
        if (users == 0) {
            close();
        }
        return users == 0;
    }

    @Override
    public void close() {
        if (address != null) {
            address.close();
        }
        state.close();
        shares.giveBack(Share.ENDPOINTS, first.clientId(), 1);
    }
}
