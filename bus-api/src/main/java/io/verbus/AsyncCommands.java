// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.NewCounter;

import org.agrona.DirectBuffer;

/**
 * Sends a bus's commands without waiting for the driver; see {@link Bus#async}.
 *
 * <p>Each {@code add} method sends a command and returns an id, with which the matching {@code get}
 * method returns the result. All methods are thread-safe, and may be called from handlers of the
 * bus. If the application runs the client conductor itself, each {@code get} method runs one duty
 * cycle.
 *
 * <pre>{@code
 * AsyncCommands async = bus.async();
 * long id = async.addPublication("verbus:ipc", 1001);
 * Publication publication;
 * while ((publication = async.getPublication(id)) == null) {
 *     idleStrategy.idle(); // or do other work
 * }
 * }</pre>
 */
public final class AsyncCommands {
    private final ClientCalls calls;
    private final BusContext context;

    AsyncCommands(ClientCalls calls, BusContext context) {
        this.calls = calls;
        this.context = context;
    }

    // Publications

    /**
     * Starts adding a publication, like {@link Bus#addPublication(String, int)}.
     *
     * @param channel channel to publish on.
     * @param streamId stream to publish to.
     * @return id to pass to {@link #getPublication}.
     * @throws BusException if the channel is invalid.
     */
    public long addPublication(String channel, int streamId) {
        return calls.addPublicationLater(publishable(channel), streamId, false);
    }

    /**
     * Starts adding an exclusive publication, like {@link Bus#addExclusivePublication(String,
     * int)}.
     *
     * @param channel channel to publish on.
     * @param streamId stream to publish to.
     * @return id to pass to {@link #getExclusivePublication}.
     * @throws BusException if the channel is invalid.
     */
    public long addExclusivePublication(String channel, int streamId) {
        return calls.addPublicationLater(publishable(channel), streamId, true);
    }

    private static ChannelUri publishable(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        channel.checkPublishable();
        return channel;
    }

    /**
     * Returns the publication that a command has added.
     *
     * @param registrationId id that {@link #addPublication} has returned.
     * @return the publication, or null until the driver has answered.
     * @throws RegistrationException if the driver has rejected the command; thrown once.
     * @throws BusException if there is no such publication, the publication is closed, or the
     *     driver is lost.
     */
    public Publication getPublication(long registrationId) {
        return calls.get(registrationId, Publication.class);
    }

    /** Returns the exclusive publication that a command has added, like {@link #getPublication}. */
    public ExclusivePublication getExclusivePublication(long registrationId) {
        return calls.get(registrationId, ExclusivePublication.class);
    }

    /**
     * Closes a publication, now or once the driver has answered. Does nothing if the id is unknown.
     *
     * @param registrationId id that {@link #addPublication} or {@link #addExclusivePublication} has
     *     returned.
     */
    public void removePublication(long registrationId) {
        calls.remove(registrationId);
    }

    // Subscriptions

    /**
     * Starts adding a subscription, like {@link Bus#addSubscription(String, int)}.
     *
     * @param channel channel to receive from.
     * @param streamId stream to receive.
     * @return id to pass to {@link #getSubscription}.
     * @throws BusException if the channel is invalid.
     */
    public long addSubscription(String channel, int streamId) {
        return addSubscription(
                channel, streamId, context.availableImageHandler, context.unavailableImageHandler);
    }

    /**
     * Starts adding a subscription with its own image handlers, which may be called before {@link
     * #getSubscription} returns the subscription.
     *
     * @param channel channel to receive from.
     * @param streamId stream to receive.
     * @param available handler called for each image that joins.
     * @param unavailable handler called for each image that leaves.
     * @return id to pass to {@link #getSubscription}.
     * @throws BusException if the channel is invalid.
     */
    public long addSubscription(
            String channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        ChannelUri parsed = ChannelUri.parse(channel);
        parsed.checkSubscribable();
        return calls.addSubscriptionLater(
                parsed,
                streamId,
                BusContext.given(available, "available-image handler"),
                BusContext.given(unavailable, "unavailable-image handler"));
    }

    /**
     * Returns the subscription that a command has added.
     *
     * @param registrationId id that {@link #addSubscription} has returned.
     * @return the subscription, or null until the driver has answered.
     * @throws RegistrationException if the driver has rejected the command; thrown once.
     * @throws BusException if there is no such subscription, the subscription is closed, or the
     *     driver is lost.
     */
    public Subscription getSubscription(long registrationId) {
        return calls.get(registrationId, Subscription.class);
    }

    /**
     * Closes a subscription, now or once the driver has answered. Does nothing if the id is
     * unknown.
     *
     * @param registrationId id that {@link #addSubscription} has returned.
     */
    public void removeSubscription(long registrationId) {
        calls.remove(registrationId);
    }

    // Counters

    /**
     * Starts adding a counter, like {@link Bus#addCounter(int, DirectBuffer, int, int,
     * DirectBuffer, int, int)}. Copies the key and the label.
     *
     * @return id to pass to {@link #getCounter}.
     * @throws IllegalArgumentException if the key or the label is too long.
     */
    public long addCounter(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength) {
        return calls.addCounterLater(
                NewCounter.of(typeId, key, keyOffset, keyLength, label, labelOffset, labelLength));
    }

    /**
     * Starts adding a counter without a key, like {@link Bus#addCounter(int, String)}.
     *
     * @return id to pass to {@link #getCounter}.
     * @throws IllegalArgumentException if the label is too long.
     */
    public long addCounter(int typeId, String label) {
        return calls.addCounterLater(NewCounter.of(typeId, label));
    }

    /**
     * Starts adding or finding a static counter, like {@link Bus#addStaticCounter(int,
     * DirectBuffer, int, int, DirectBuffer, int, int, long)}. Copies the key and the label.
     *
     * @return id to pass to {@link #getCounter}; not the registration id.
     * @throws IllegalArgumentException if the key or the label is too long.
     */
    public long addStaticCounter(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength,
            long registrationId) {
        return calls.addStaticCounterLater(
                NewCounter.of(typeId, key, keyOffset, keyLength, label, labelOffset, labelLength),
                registrationId);
    }

    /**
     * Starts adding or finding a static counter without a key, like {@link
     * Bus#addStaticCounter(int, String, long)}.
     *
     * @return id to pass to {@link #getCounter}; not the registration id.
     * @throws IllegalArgumentException if the label is too long.
     */
    public long addStaticCounter(int typeId, String label, long registrationId) {
        return calls.addStaticCounterLater(NewCounter.of(typeId, label), registrationId);
    }

    /**
     * Returns the counter that a command has added.
     *
     * @param correlationId id that an {@code add} method has returned.
     * @return the counter, or null until the driver has answered.
     * @throws RegistrationException if the driver has rejected the command; thrown once.
     * @throws BusException if there is no such counter, the counter is closed, or the driver is
     *     lost.
     */
    public Counter getCounter(long correlationId) {
        return calls.get(correlationId, Counter.class);
    }

    /**
     * Closes a counter, now or once the driver has answered. Does nothing if the id is unknown.
     *
     * @param correlationId id that an {@code add} method has returned.
     */
    public void removeCounter(long correlationId) {
        calls.remove(correlationId);
    }

    // All commands

    /**
     * Returns whether a command still awaits the driver's answer.
     *
     * @param correlationId id that an {@code add} method, or an {@code async} method of a
     *     publication or subscription, has returned.
     * @return false once the driver has answered, or if the id is unknown.
     */
    public boolean isActive(long correlationId) {
        return calls.isActive(correlationId);
    }

    /** Returns whether any command of the bus still awaits the driver's answer. */
    public boolean hasActive() {
        return calls.hasActive();
    }
}
