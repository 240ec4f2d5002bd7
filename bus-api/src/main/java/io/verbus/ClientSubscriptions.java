// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.control.Attachment;
import io.verbus.control.CommandEncoder;
import io.verbus.control.DriverEvent;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogTouching;
import io.verbus.logbuffer.SubscriberLease;
import io.verbus.memory.LingeringMappings;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The subscriptions of a client and their images. Used by the conductor's thread only. */
final class ClientSubscriptions {
    /**
     * A requested subscription. It is created when the command is sent, because images may arrive
     * before the answer.
     */
    private final class Entry extends RequestedResource<Subscription> {
        private final Subscription subscription;

        private Entry(Subscription subscription, CompletableFuture<Subscription> answer) {
            super(conductor, subscription.askedUnder(), answer);
            this.subscription = subscription;
        }

        @Override
        void send(Attachment attachment, long registrationId) {
            subscription.registrationId(registrationId);
            attachment
                    .commands()
                    .addSubscription(
                            registrationId, subscription.channel(), subscription.streamId());
            entries.put(registrationId, this);
        }

        @Override
        boolean isClosed(Subscription made) {
            return made.isClosed();
        }

        @Override
        void markClosed(Subscription made) {
            made.markClosed();
        }

        @Override
        void drop() {
            subscription.markClosed();
        }

        @Override
        String words() {
            return subscription.toString();
        }
    }

    private final ClientConductor conductor;
    private final LogTouching touching;
    private final LingeringMappings lingering;
    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();

    ClientSubscriptions(
            ClientConductor conductor, LogTouching touching, LingeringMappings lingering) {
        this.conductor = conductor;
        this.touching = touching;
        this.lingering = lingering;
    }

    void add(
            long registrationId,
            ChannelUri channel,
            int streamId,
            AvailableImageHandler available,
            UnavailableImageHandler unavailable,
            CompletableFuture<Subscription> answer) {
        Subscription subscription =
                new Subscription(
                        channel,
                        streamId,
                        registrationId,
                        available,
                        unavailable,
                        conductor.calls());
        conductor.ask(new Entry(subscription, answer));
    }

    void onReady(DriverEvent.SubscriptionReady event) {
        Entry entry = entries.get(event.correlationId());
        if (entry == null) {
            return;
        }
        entry.subscription.status(
                new ChannelStatus(conductor.driver().counters(), event.statusCounterId()));
        if (!entry.complete(entry.subscription)) {
            entry.subscription.close(); // the caller is no longer waiting
        }
    }

    /**
     * Handles a failed command. Returns false if the command does not concern a subscription. For
     * an existing subscription, the event reports a stream that cannot have an image yet; the
     * driver retries.
     */
    boolean onFailed(DriverEvent.CommandFailed event) {
        Entry entry = entries.get(event.correlationId());
        if (entry == null) {
            return false;
        }
        if (entry.isConfirmed()) {
            conductor.onError(
                    new RegistrationException(
                            event.code(),
                            "the subscription to stream "
                                    + entry.subscription.streamId()
                                    + " on '"
                                    + entry.subscription.channel()
                                    + "' is missing an image: "
                                    + event.message()));
            return true;
        }
        entries.remove(event.correlationId());
        entry.refuse(new RegistrationException(event.code(), event.message()));
        giveUpImages(entry.subscription);
        return true;
    }

    void forEach(Consumer<ChannelResource> visitor) {
        entries.values().forEach(entry -> visitor.accept(entry.subscription));
    }

    void onImageAvailable(DriverEvent.ImageAvailable event) {
        Entry entry = entries.get(event.subscriptionId());
        if (entry == null || entry.subscription.isClosed()) {
            return;
        }
        Subscription subscription = entry.subscription;
        Path file = conductor.driver().directory().resolve(event.logFile());
        LogBuffers log;
        try {
            log = conductor.driver().mapLog(event.logFile(), true);
        } catch (BusException e) {
            onUnmappable(subscription, file, e);
            return;
        }
        UnsafeBufferPosition position = position(event);
        if (position == null) {
            log.close();
            return;
        }
        touching.add(log);
        Image image =
                new Image(
                        event.imageId(),
                        subscription,
                        log,
                        position,
                        lease(subscription, event.positionCounterId()),
                        event.source(),
                        conductor.context().subscriberErrorHandler,
                        conductor::onInvalidFrame);
        // The handler is called first, because it must return before the image can be polled.
        conductor.callHandler(() -> subscription.availableImageHandler().onAvailableImage(image));
        if (!subscription.addImage(image)) {
            image.markClosed();
            onGone(subscription, image);
        }
    }

    /** Returns a subscriber's lease, or null if the driver never detaches the subscription. */
    private SubscriberLease lease(Subscription subscription, int counterId) {
        ChannelUri channel = subscription.channel();
        boolean isHeld = !conductor.driver().mayLetGo(channel) && !channel.isManual();
        return isHeld
                ? null
                : new SubscriberLease(conductor.driver().counters().valuesBuffer(), counterId);
    }

    /**
     * Returns the subscriber's counter, which holds the join position. Returns null if the counter
     * is invalid or was freed.
     */
    private UnsafeBufferPosition position(DriverEvent.ImageAvailable event) {
        CountersReader counters = conductor.driver().counters();
        int id = event.positionCounterId();
        boolean isThere = id >= 0 && id <= counters.maxCounterId();
        int state = isThere ? counters.getCounterState(id) : CountersReader.RECORD_UNUSED;
        if (state == CountersReader.RECORD_RECLAIMED) {
            return null; // the image is already gone
        }
        if (state == CountersReader.RECORD_ALLOCATED
                && counters.getCounterTypeId(id) == CounterTypes.SUBSCRIBER_POSITION
                && registrationId(counters, id) == event.subscriptionId()) {
            return new UnsafeBufferPosition((UnsafeBuffer) counters.valuesBuffer(), id);
        }
        conductor.onError(
                new BusException(
                        "image "
                                + event.imageId()
                                + " of stream "
                                + event.streamId()
                                + " cannot be read, because counter "
                                + id
                                + " is not its subscriber's position: use the same Verbus release"
                                + " for driver and clients"));
        return null;
    }

    private static long registrationId(CountersReader counters, int id) {
        int key = CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET;
        return counters.metaDataBuffer().getLong(key);
    }

    /**
     * Closes the subscription, because an image that it cannot consume would block the publisher
     * forever.
     */
    private void onUnmappable(Subscription subscription, Path file, BusException cause) {
        conductor.onError(cause);
        if (Files.exists(file)) {
            conductor.onError(
                    new BusException(
                            subscription
                                    + " was closed, because it could not map an image: fix the"
                                    + " cause given by the preceding error, then add the"
                                    + " subscription again"));
            subscription.close();
        }
    }

    void onImageUnavailable(DriverEvent.ImageUnavailable event) {
        Entry entry = entries.get(event.subscriptionId());
        if (entry != null) {
            remove(entry.subscription, event.imageId());
        }
    }

    private void remove(Subscription subscription, long imageId) {
        Image image = subscription.removeImage(imageId);
        if (image != null) {
            onGone(subscription, image);
        }
    }

    private void onGone(Subscription subscription, Image image) {
        touching.remove(image.log());
        lingering.add(image.log(), image::isDelivering, System.nanoTime());
        conductor.callHandler(
                () -> subscription.unavailableImageHandler().onUnavailableImage(image));
    }

    /**
     * Removes an image that its polling thread has closed because of an invalid frame. Rejects the
     * image only if it is tethered. An untethered subscriber's log may have been overwritten after
     * the subscriber was detached, so an invalid frame does not prove that the publisher is faulty.
     */
    void onInvalidFrame(Image image, InvalidFrameException fault) {
        if (!conductor.driver().mayLetGo(image.subscription().channel())) {
            CommandEncoder commands = conductor.commands();
            commands.rejectImage(
                    commands.nextCorrelationId(),
                    image.imageId(),
                    fault.position(),
                    fault.getMessage());
        }
        conductor.onError(new BusException(image + " is closed: " + fault.getMessage(), fault));
        remove(image.subscription(), image.imageId());
    }

    /** Removes a subscription that its owner has closed. */
    void release(Subscription subscription) {
        Entry entry = entries.get(subscription.registrationId());
        if (entry != null) {
            conductor.commands().removeSubscription(subscription.registrationId());
            close(entry);
            entry.settle();
        }
    }

    private void close(Entry entry) {
        entries.remove(entry.subscription.registrationId());
        entry.subscription.markClosed();
        giveUpImages(entry.subscription);
    }

    /** Removes the images that a subscription had when it was closed. */
    private void giveUpImages(Subscription subscription) {
        for (Image image : subscription.takeClosedImages()) {
            onGone(subscription, image);
        }
    }

    /** Returns the resource with a registration id; null if unknown. */
    RequestedResource<?> resource(long registrationId) {
        return entries.get(registrationId);
    }

    /** Closes the images, and keeps the subscriptions for the next driver. */
    void loseAll(Consumer<RequestedResource<?>> keeper) {
        Entry[] all = entries.values().toArray(new Entry[0]);
        entries.clear();
        for (Entry entry : all) {
            for (Image image : entry.subscription.detach()) {
                onGone(entry.subscription, image);
            }
            keeper.accept(entry);
        }
    }

    /** Closes all subscriptions without sending commands to the driver. */
    void closeAll(BusException reason) {
        for (Entry entry : entries.values().toArray(new Entry[0])) {
            close(entry);
            entry.close(reason);
        }
    }
}
