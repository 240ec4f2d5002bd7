// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;

import java.util.List;

/** What a client has of a channel, as its driver knows it. Any thread. */
abstract sealed class ChannelResource permits Publication, Subscription {
    /** The client that made it. Application's threads. */
    interface Owner {
        /** The publication is closed: takes it back. */
        void release(Publication publication);

        /** The subscription is closed: takes it back. */
        void release(Subscription subscription);

        /** The counter is closed: takes it back. */
        void release(Counter counter);

        /** Has the driver change destinations, and waits for its answer. */
        void change(DestinationChange change);

        /** Has the driver change destinations; returns the command's correlation id. */
        long changeLater(DestinationChange change);

        /** Has the driver end an image and tell its publisher why, and waits for its answer. */
        void reject(Image image, String reason);
    }

    final Owner owner;
    private final ChannelUri channel;
    private final long registrationId;

    // Written before the application has the resource.
    private volatile ChannelStatus status;

    ChannelResource(ChannelUri channel, long registrationId, ChannelStatus status, Owner owner) {
        this.channel = channel;
        this.registrationId = registrationId;
        this.status = status;
        this.owner = owner;
    }

    /** The driver has told where the status of the channel is. */
    final void status(ChannelStatus told) {
        status = told;
    }

    /** Whether {@code close} was called, the bus was closed or the driver is lost. Any thread. */
    public abstract boolean isClosed();

    /** The channel. */
    public ChannelUri channel() {
        return channel;
    }

    /** Identity at the driver. */
    public long registrationId() {
        return registrationId;
    }

    /**
     * How the driver gets on with the channel: one of {@link ChannelStatus}, {@link
     * ChannelStatus#NO_ID_ALLOCATED} once this is closed. Any thread.
     */
    public long channelStatus() {
        return isClosed() ? ChannelStatus.NO_ID_ALLOCATED : status.value();
    }

    /** Counter that holds the channel's status; -1 where nothing has to be opened. */
    public int channelStatusId() {
        return status.id();
    }

    /**
     * Local addresses of the channel, such as {@code 10.0.0.1:40123}; none unless it is open. Any
     * thread.
     */
    public List<String> localSocketAddresses() {
        return isClosed() ? List.of() : status.localAddresses();
    }

    final void checkOpen() {
        if (isClosed()) {
            throw new BusException("the " + this + " is closed: add a new one");
        }
    }
}
