// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.AddDestinationEncoder;
import io.verbus.codecs.control.AddExclusivePublicationEncoder;
import io.verbus.codecs.control.AddPublicationEncoder;
import io.verbus.codecs.control.AddSubscriptionEncoder;
import io.verbus.codecs.control.ClientCloseEncoder;
import io.verbus.codecs.control.RejectImageEncoder;
import io.verbus.codecs.control.RemoveDestinationEncoder;
import io.verbus.codecs.control.RemovePublicationEncoder;
import io.verbus.codecs.control.RemoveSubscriptionEncoder;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.util.ArrayDeque;

/**
 * Encodes commands and writes them to the driver's ring buffer, whose message type is the id of the
 * SBE template. Where the ring buffer is full a command waits here, in order, for {@link #flush}.
 * One thread.
 */
final class CommandEncoder {
    private static final long NONE = -1;
    private static final int MAX_REASON = 1023;

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
    private final ClientCloseEncoder close = new ClientCloseEncoder();

    CommandEncoder(RingBuffer ring) {
        this.ring = ring;
        this.clientId = ring.nextCorrelationId();
    }

    long clientId() {
        return clientId;
    }

    /** Returns the correlation id. */
    long addPublication(ChannelUri channel, int streamId, boolean exclusive) {
        long correlationId = ring.nextCorrelationId();
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
            return correlationId;
        }
        addPublication
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .streamId(streamId)
                .channel(channel.toString());
        write(AddPublicationEncoder.TEMPLATE_ID, addPublication.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long removePublication(long registrationId) {
        long correlationId = ring.nextCorrelationId();
        removePublication
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId)
                .flags()
                .clear();
        write(RemovePublicationEncoder.TEMPLATE_ID, removePublication.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long addDestination(long registrationId, ChannelUri destination) {
        long correlationId = ring.nextCorrelationId();
        addDestination
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId)
                .channel(destination.toString());
        write(AddDestinationEncoder.TEMPLATE_ID, addDestination.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long removeDestination(long registrationId, ChannelUri destination) {
        long correlationId = ring.nextCorrelationId();
        removeDestination
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId)
                .channel(destination.toString());
        write(RemoveDestinationEncoder.TEMPLATE_ID, removeDestination.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long addSubscription(ChannelUri channel, int streamId) {
        long correlationId = ring.nextCorrelationId();
        addSubscription
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationCorrelationId(NONE)
                .streamId(streamId)
                .channel(channel.toString());
        write(AddSubscriptionEncoder.TEMPLATE_ID, addSubscription.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long removeSubscription(long registrationId) {
        long correlationId = ring.nextCorrelationId();
        removeSubscription
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId);
        write(RemoveSubscriptionEncoder.TEMPLATE_ID, removeSubscription.encodedLength());
        return correlationId;
    }

    void rejectImage(long imageId, long position, String reason) {
        rejectImage
                .wrap(buffer, 0)
                .clientId(clientId)
                .correlationId(ring.nextCorrelationId())
                .imageId(imageId)
                .position(position)
                .reason(reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason);
        write(RejectImageEncoder.TEMPLATE_ID, rejectImage.encodedLength());
    }

    void close() {
        close.wrap(buffer, 0).clientId(clientId).correlationId(NONE);
        write(ClientCloseEncoder.TEMPLATE_ID, close.encodedLength());
    }

    private void write(int templateId, int length) {
        if (!waiting.isEmpty() || !ring.write(templateId, buffer, 0, length)) {
            byte[] message = new byte[length];
            buffer.getBytes(0, message);
            waiting.addLast(new Waiting(templateId, message));
        }
    }

    /**
     * Writes commands that wait, as far as the ring buffer has room.
     *
     * @return how many were written.
     */
    int flush() {
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
