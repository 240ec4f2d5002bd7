// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;

import java.util.List;

/** A publication or subscription that is registered at a driver. Thread-safe. */
abstract sealed class ChannelResource permits Publication, Subscription {
    /** The client that created the resource. Called by application threads. */
    interface Owner {
        /** Removes a closed publication from the driver. */
        void release(Publication publication);

        /** Removes a closed subscription from the driver. */
        void release(Subscription subscription);

        /** Removes a closed counter from the driver. */
        void release(Counter counter);

        /** Makes the driver add or remove a destination, and waits for the driver's answer. */
        void change(DestinationChange change);

        /**
         * Makes the driver add or remove a destination, without waiting for its answer. Returns the
         * command's correlation id.
         */
        long changeLater(DestinationChange change);

        /**
         * Makes the driver end an image and report the reason to the image's publisher, and waits
         * for the driver's answer.
         */
        void reject(Image image, String reason);
    }

    final Owner owner;
    private final ChannelUri channel;

    // Written by the conductor before the application gets the resource, and again for each new
    // driver.
    private volatile long registrationId;
    private volatile ChannelStatus status;

    /**
     * Id of the call that requested the resource. Written before the application gets the resource.
     */
    private long askedUnder;

    ChannelResource(ChannelUri channel, long registrationId, ChannelStatus status, Owner owner) {
        this.channel = channel;
        this.registrationId = registrationId;
        askedUnder = registrationId;
        this.status = status;
        this.owner = owner;
    }

    /** Sets the place where the driver stores the channel's status. */
    final void status(ChannelStatus told) {
        status = told;
    }

    /** Sets the id under which the driver knows the resource. */
    final void registrationId(long id) {
        registrationId = id;
    }

    /** Sets the application's id for the resource, if it differs from the driver's id. */
    final void askedUnder(long id) {
        askedUnder = id;
    }

    /** Returns the id under which the application has requested the resource. */
    final long askedUnder() {
        return askedUnder;
    }

    /**
     * Returns whether {@code close} was called, or the bus was closed or has permanently lost its
     * driver. Thread-safe.
     */
    public abstract boolean isClosed();

    /** Returns the channel. */
    public ChannelUri channel() {
        return channel;
    }

    /**
     * Returns the resource's registration id at the driver. The id changes when the bus moves to
     * the next driver; see {@link BusContext#reconnect}.
     */
    public long registrationId() {
        return registrationId;
    }

    /**
     * Returns the status that the driver reports for the channel: one of the constants of {@link
     * ChannelStatus}; {@link ChannelStatus#NO_ID_ALLOCATED} once this resource is closed.
     * Thread-safe.
     */
    public long channelStatus() {
        return isClosed() ? ChannelStatus.NO_ID_ALLOCATED : status.value();
    }

    /**
     * Returns the id of the counter that holds the channel's status; -1 if the channel has none.
     */
    public int channelStatusId() {
        return status.id();
    }

    /**
     * Returns the channel's local addresses, such as {@code 10.0.0.1:40123}. The list is empty
     * unless the channel is open. Thread-safe.
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
