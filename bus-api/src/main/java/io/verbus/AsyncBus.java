// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.NewCounter;

import org.agrona.DirectBuffer;

import java.util.Objects;

/**
 * What a {@link Bus} adds without waiting: each {@code async} method sends a command and returns
 * its id, by which to get what it makes. Any thread may call any method, in handlers, too.
 *
 * <p>Where the application runs the client conductor itself, a {@code get} method runs it once.
 */
abstract sealed class AsyncBus extends CountingBus permits Bus {
    AsyncBus(Bus.Context context) {
        super(context);
    }

    /**
     * Begins to add a publication, as {@link Bus#addPublication(String, int)}.
     *
     * @param channel to publish on.
     * @param streamId to publish to.
     * @return id for {@link #getPublication}.
     * @throws BusException if the channel is wrong.
     */
    public long asyncAddPublication(String channel, int streamId) {
        return calls.addPublicationLater(publishable(channel), streamId, false);
    }

    /**
     * Begins to add an exclusive publication, as {@link Bus#addExclusivePublication(String, int)}.
     *
     * @param channel to publish on.
     * @param streamId to publish to.
     * @return id for {@link #getExclusivePublication}.
     * @throws BusException if the channel is wrong.
     */
    public long asyncAddExclusivePublication(String channel, int streamId) {
        return calls.addPublicationLater(publishable(channel), streamId, true);
    }

    private static ChannelUri publishable(String text) {
        ChannelUri channel = ChannelUri.parse(text);
        channel.checkPublishable();
        return channel;
    }

    /**
     * The publication that was asked for under an id.
     *
     * @param registrationId of the publication.
     * @return null until the driver has answered.
     * @throws RegistrationException if the driver has refused it, told once.
     * @throws BusException if there is no such publication, it is closed, or the driver is lost.
     */
    public Publication getPublication(long registrationId) {
        return calls.get(registrationId, Publication.class);
    }

    /** As {@link #getPublication}, of an exclusive one. */
    public ExclusivePublication getExclusivePublication(long registrationId) {
        return calls.get(registrationId, ExclusivePublication.class);
    }

    /**
     * Closes a publication, now or once the driver has answered. Nothing happens if there is none
     * of that id.
     *
     * @param registrationId of the publication.
     */
    public void asyncRemovePublication(long registrationId) {
        calls.remove(registrationId);
    }

    /**
     * Begins to add a subscription, as {@link Bus#addSubscription(String, int)}.
     *
     * @param channel to receive from.
     * @param streamId to receive.
     * @return id for {@link #getSubscription}.
     * @throws BusException if the channel is wrong.
     */
    public long asyncAddSubscription(String channel, int streamId) {
        Bus.Context context = conductor.context();
        return asyncAddSubscription(
                channel, streamId, context.availableImageHandler, context.unavailableImageHandler);
    }

    /**
     * Begins to add a subscription with image handlers of its own. They may be called before the
     * subscription can be got.
     *
     * @param channel to receive from.
     * @param streamId to receive.
     * @param available told of each image that joins.
     * @param unavailable told of each image that leaves.
     * @return id for {@link #getSubscription}.
     * @throws BusException if the channel is wrong.
     */
    public long asyncAddSubscription(
            String channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable) {
        ChannelUri parsed = ChannelUri.parse(channel);
        parsed.checkSubscribable();
        return calls.addSubscriptionLater(
                parsed,
                streamId,
                Objects.requireNonNull(available),
                Objects.requireNonNull(unavailable));
    }

    /**
     * The subscription that was asked for under an id.
     *
     * @param registrationId of the subscription.
     * @return null until the driver has answered.
     * @throws RegistrationException if the driver has refused it, told once.
     * @throws BusException if there is no such subscription, it is closed, or the driver is lost.
     */
    public Subscription getSubscription(long registrationId) {
        return calls.get(registrationId, Subscription.class);
    }

    /**
     * Closes a subscription, now or once the driver has answered. Nothing happens if there is none
     * of that id.
     *
     * @param registrationId of the subscription.
     */
    public void asyncRemoveSubscription(long registrationId) {
        calls.remove(registrationId);
    }

    /**
     * Begins to add a counter, as {@link Bus#addCounter(int, DirectBuffer, int, int, DirectBuffer,
     * int, int)}. Key and label are copied.
     *
     * @return id for {@link #getCounter}.
     * @throws IllegalArgumentException if key or label are too long.
     */
    public long asyncAddCounter(
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
     * Begins to add a counter without a key, as {@link Bus#addCounter(int, String)}.
     *
     * @return id for {@link #getCounter}.
     * @throws IllegalArgumentException if the label is too long.
     */
    public long asyncAddCounter(int typeId, String label) {
        return calls.addCounterLater(NewCounter.of(typeId, label));
    }

    /**
     * Begins to add or find a static counter, as {@link Bus#addStaticCounter(int, DirectBuffer,
     * int, int, DirectBuffer, int, int, long)}. Key and label are copied.
     *
     * @return id for {@link #getCounter}, which is not the registration id.
     * @throws IllegalArgumentException if key or label are too long.
     */
    public long asyncAddStaticCounter(
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
     * Begins to add or find a static counter without a key, as {@link Bus#addStaticCounter(int,
     * String, long)}.
     *
     * @return id for {@link #getCounter}, which is not the registration id.
     * @throws IllegalArgumentException if the label is too long.
     */
    public long asyncAddStaticCounter(int typeId, String label, long registrationId) {
        return calls.addStaticCounterLater(NewCounter.of(typeId, label), registrationId);
    }

    /**
     * The counter that was asked for under an id.
     *
     * @param correlationId that the call has returned.
     * @return null until the driver has answered.
     * @throws RegistrationException if the driver has refused it, told once.
     * @throws BusException if there is no such counter, it is closed, or the driver is lost.
     */
    public Counter getCounter(long correlationId) {
        return calls.get(correlationId, Counter.class);
    }

    /**
     * Closes a counter, now or once the driver has answered. Nothing happens if there is none of
     * that id.
     *
     * @param correlationId that the call has returned.
     */
    public void asyncRemoveCounter(long correlationId) {
        calls.remove(correlationId);
    }

    /**
     * Whether the driver has not answered a command yet.
     *
     * @param correlationId that an {@code async} method has returned.
     */
    public boolean isCommandActive(long correlationId) {
        return calls.isActive(correlationId);
    }

    /** Whether there is a command that the driver has not answered yet. */
    public boolean hasActiveCommands() {
        return calls.hasActive();
    }
}
