// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.AddCounterEncoder;
import io.verbus.codecs.control.AddDestinationEncoder;
import io.verbus.codecs.control.AddExclusivePublicationEncoder;
import io.verbus.codecs.control.AddPublicationEncoder;
import io.verbus.codecs.control.AddReceiveDestinationEncoder;
import io.verbus.codecs.control.AddStaticCounterEncoder;
import io.verbus.codecs.control.AddSubscriptionEncoder;
import io.verbus.codecs.control.ClientCloseEncoder;
import io.verbus.codecs.control.GetNextAvailableSessionIdEncoder;
import io.verbus.codecs.control.RejectImageEncoder;
import io.verbus.codecs.control.RemoveCounterEncoder;
import io.verbus.codecs.control.RemoveDestinationByIdEncoder;
import io.verbus.codecs.control.RemoveDestinationEncoder;
import io.verbus.codecs.control.RemovePublicationEncoder;
import io.verbus.codecs.control.RemoveReceiveDestinationEncoder;
import io.verbus.codecs.control.RemoveSubscriptionEncoder;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.util.ArrayDeque;

/**
 * Encodes a client's commands and writes them to the driver's ring buffer, whose message type is
 * the id of the SBE template. If the ring buffer is full, commands wait here in order for {@link
 * #flush}. Not thread-safe, except where noted. The driver's answer has the correlation id of the
 * command.
 */
public final class CommandEncoder {
    private static final long NONE = -1;

    /** Longest reason for rejecting an image, in bytes. */
    public static final int MAX_REASON = 1023;

    private record Waiting(int templateId, byte[] message) {}

    private final RingBuffer ring;
    private final long clientId;
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(512);
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final AddPublicationEncoder addPublication = new AddPublicationEncoder();
    private final AddExclusivePublicationEncoder addExclusivePublication =
            new AddExclusivePublicationEncoder();
    private final RemovePublicationEncoder removePublication = new RemovePublicationEncoder();
    private final AddDestinationEncoder addDestination = new AddDestinationEncoder();
    private final RemoveDestinationEncoder removeDestination = new RemoveDestinationEncoder();
    private final AddSubscriptionEncoder addSubscription = new AddSubscriptionEncoder();
    private final RemoveSubscriptionEncoder removeSubscription = new RemoveSubscriptionEncoder();
    private final RejectImageEncoder rejectImage = new RejectImageEncoder();
    private final RemoveDestinationByIdEncoder removeDestinationById =
            new RemoveDestinationByIdEncoder();
    private final AddReceiveDestinationEncoder addSource = new AddReceiveDestinationEncoder();
    private final RemoveReceiveDestinationEncoder removeSource =
            new RemoveReceiveDestinationEncoder();
    private final AddCounterEncoder addCounter = new AddCounterEncoder();
    private final AddStaticCounterEncoder addStaticCounter = new AddStaticCounterEncoder();
    private final RemoveCounterEncoder removeCounter = new RemoveCounterEncoder();
    private final GetNextAvailableSessionIdEncoder nextSessionId =
            new GetNextAvailableSessionIdEncoder();
    private final ClientCloseEncoder close = new ClientCloseEncoder();
    private boolean isClosed;

    /**
     * Creates an encoder for a new client, which the driver does not know yet.
     *
     * @param ring ring buffer of the driver.
     */
    public CommandEncoder(RingBuffer ring) {
        this.ring = ring;
        this.clientId = ring.nextCorrelationId();
    }

    /** Returns the client's id. Thread-safe. */
    public long clientId() {
        return clientId;
    }

    /** Returns an id that no other command of any client of the driver has. Thread-safe. */
    public long nextCorrelationId() {
        return ring.nextCorrelationId();
    }

    public void addPublication(
            long correlationId, ChannelUri channel, int streamId, boolean exclusive) {
        if (exclusive) {
            addExclusivePublication
                    .wrap(buffer, 0)
                    .clientId(clientId)
                    .correlationId(correlationId)
                    .streamId(streamId)
                    .channel(channel.toString());
            write(
                    AddExclusivePublicationEncoder.TEMPLATE_ID,
                    addExclusivePublication.encodedLength());
            return;
        }
        addPublication
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .streamId(streamId)
                .channel(channel.toString());
        write(AddPublicationEncoder.TEMPLATE_ID, addPublication.encodedLength());
    }

    public void removePublication(long registrationId, boolean revoke) {
        removePublication
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(nextCorrelationId())
                .registrationId(registrationId)
                .flags()
                .clear()
                .revoke(revoke);
        write(RemovePublicationEncoder.TEMPLATE_ID, removePublication.encodedLength());
    }

    public void addSubscription(long correlationId, ChannelUri channel, int streamId) {
        addSubscription
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationCorrelationId(NONE)
                .streamId(streamId)
                .channel(channel.toString());
        write(AddSubscriptionEncoder.TEMPLATE_ID, addSubscription.encodedLength());
    }

    public void removeSubscription(long registrationId) {
        removeSubscription
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(nextCorrelationId())
                .registrationId(registrationId);
        write(RemoveSubscriptionEncoder.TEMPLATE_ID, removeSubscription.encodedLength());
    }

    public void changeDestination(long correlationId, DestinationChange change) {
        switch (change) {
            case DestinationChange.Add add -> {
                addDestination
                        .wrap(buffer, 0)
                        .clientId(clientId)
                        .correlationId(correlationId)
                        .registrationId(add.registrationId())
                        .channel(add.channel().toString());
                write(AddDestinationEncoder.TEMPLATE_ID, addDestination.encodedLength());
            }
            case DestinationChange.Remove remove -> {
                removeDestination
                        .wrap(buffer, 0)
                        .clientId(clientId)
                        .correlationId(correlationId)
                        .registrationId(remove.registrationId())
                        .channel(remove.channel().toString());
                write(RemoveDestinationEncoder.TEMPLATE_ID, removeDestination.encodedLength());
            }
            case DestinationChange.RemoveById remove -> {
                removeDestinationById
                        .wrap(buffer, 0)
                        .clientId(clientId)
                        .correlationId(correlationId)
                        .registrationId(remove.registrationId())
                        .destinationRegistrationId(remove.destinationId());
                write(
                        RemoveDestinationByIdEncoder.TEMPLATE_ID,
                        removeDestinationById.encodedLength());
            }
            case DestinationChange.AddSource add -> {
                addSource
                        .wrap(buffer, 0)
                        .clientId(clientId)
                        .correlationId(correlationId)
                        .registrationId(add.registrationId())
                        .channel(add.channel().toString());
                write(AddReceiveDestinationEncoder.TEMPLATE_ID, addSource.encodedLength());
            }
            case DestinationChange.RemoveSource remove -> {
                removeSource
                        .wrap(buffer, 0)
                        .clientId(clientId)
                        .correlationId(correlationId)
                        .registrationId(remove.registrationId())
                        .channel(remove.channel().toString());
                write(RemoveReceiveDestinationEncoder.TEMPLATE_ID, removeSource.encodedLength());
            }
        }
    }

    public void addCounter(long correlationId, NewCounter counter) {
        addCounter
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .typeId(counter.typeId())
                .putKey(counter.key(), 0, counter.key().capacity())
                .putLabel(counter.label(), 0, counter.label().capacity());
        write(AddCounterEncoder.TEMPLATE_ID, addCounter.encodedLength());
    }

    public void addStaticCounter(long correlationId, NewCounter counter, long registrationId) {
        addStaticCounter
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId)
                .typeId(counter.typeId())
                .putKey(counter.key(), 0, counter.key().capacity())
                .putLabel(counter.label(), 0, counter.label().capacity());
        write(AddStaticCounterEncoder.TEMPLATE_ID, addStaticCounter.encodedLength());
    }

    public void removeCounter(long registrationId) {
        removeCounter
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(nextCorrelationId())
                .registrationId(registrationId);
        write(RemoveCounterEncoder.TEMPLATE_ID, removeCounter.encodedLength());
    }

    public void nextSessionId(long correlationId, int streamId) {
        nextSessionId
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .streamId(streamId);
        write(GetNextAvailableSessionIdEncoder.TEMPLATE_ID, nextSessionId.encodedLength());
    }

    /** Rejects an image; truncates the reason to {@link #MAX_REASON} characters. */
    public void rejectImage(long correlationId, long imageId, long position, String reason) {
        rejectImage
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .imageId(imageId)
                .position(position)
                .reason(reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
        write(RejectImageEncoder.TEMPLATE_ID, rejectImage.encodedLength());
    }

    /** Tells the driver that the client disconnects. Idempotent; later commands are dropped. */
    public void close() {
        if (isClosed) {
            return;
        }
        close.wrap(buffer, 0).clientId(clientId).correlationId(NONE);
        write(ClientCloseEncoder.TEMPLATE_ID, close.encodedLength());
        isClosed = true;
    }

    private void write(int templateId, int length) {
        if (isClosed) {
            return; // a command would make the driver register the client again
        }
        if (!waiting.isEmpty() || !ring.write(templateId, buffer, 0, length)) {
            byte[] message = new byte[length];
            buffer.getBytes(0, message);
            waiting.addLast(new Waiting(templateId, message));
        }
    }

    /**
     * Writes waiting commands as far as the ring buffer has room.
     *
     * @return number of commands written.
     */
    public int flush() {
        int count = 0;
        Waiting next;
        while ((next = waiting.peekFirst()) != null) {
            buffer.putBytes(0, next.message);
            if (!ring.write(next.templateId, buffer, 0, next.message.length)) {
                break;
            }
            waiting.removeFirst();
            count++;
        }
        return count;
    }
}
