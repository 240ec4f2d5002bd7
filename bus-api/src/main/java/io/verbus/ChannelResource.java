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

    // Written by the conductor: before the application has the resource, and for each driver.
    private volatile long registrationId;
    private volatile ChannelStatus status;

    /** Id of the call that has asked for it. Written before the application has the resource. */
    private long askedUnder;

    ChannelResource(ChannelUri channel, long registrationId, ChannelStatus status, Owner owner) {
        this.channel = channel;
        this.registrationId = registrationId;
        askedUnder = registrationId;
        this.status = status;
        this.owner = owner;
    }

    /** The driver has told where the status of the channel is. */
    final void status(ChannelStatus told) {
        status = told;
    }

    /** The driver knows the resource under another id from now on. */
    final void registrationId(long id) {
        registrationId = id;
    }

    /** The application knows the resource under another id than the driver. */
    final void askedUnder(long id) {
        askedUnder = id;
    }

    /** The id under which the application has asked for it. */
    final long askedUnder() {
        return askedUnder;
    }

    /** Whether {@code close} was called, the bus was closed or the driver is lost. Any thread. */
    public abstract boolean isClosed();

    /** The channel. */
    public ChannelUri channel() {
        return channel;
    }

    /**
     * Identity at the driver; another one at the next driver, see {@link Bus.Context#reconnect}.
     */
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
