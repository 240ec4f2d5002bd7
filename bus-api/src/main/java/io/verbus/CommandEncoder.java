// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.AddDestinationEncoder;
import io.verbus.codecs.control.AddPublicationEncoder;
import io.verbus.codecs.control.AddSubscriptionEncoder;
import io.verbus.codecs.control.BooleanType;
import io.verbus.codecs.control.ClientCloseEncoder;
import io.verbus.codecs.control.ClientKeepaliveEncoder;
import io.verbus.codecs.control.MessageHeaderEncoder;
import io.verbus.codecs.control.RejectImageEncoder;
import io.verbus.codecs.control.RemoveDestinationEncoder;
import io.verbus.codecs.control.RemovePublicationEncoder;
import io.verbus.codecs.control.RemoveSubscriptionEncoder;

import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

import java.util.ArrayDeque;

/**
 * Encodes commands and writes them to the driver's ring buffer, whose message type is the SBE
 * template. Where the ring buffer is full a command waits here, in order, for {@link #flush}. One
 * thread.
 */
final class CommandEncoder {
    private record Waiting(int templateId, byte[] message) {}

    private final RingBuffer ring;
    private final long clientId;
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(512);
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final AddPublicationEncoder addPublication = new AddPublicationEncoder();
    private final RemovePublicationEncoder removePublication = new RemovePublicationEncoder();
    private final AddDestinationEncoder addDestination = new AddDestinationEncoder();
    private final RemoveDestinationEncoder removeDestination = new RemoveDestinationEncoder();
    private final AddSubscriptionEncoder addSubscription = new AddSubscriptionEncoder();
    private final RemoveSubscriptionEncoder removeSubscription = new RemoveSubscriptionEncoder();
    private final RejectImageEncoder rejectImage = new RejectImageEncoder();
    private final ClientKeepaliveEncoder keepalive = new ClientKeepaliveEncoder();
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
        addPublication
                .wrapAndApplyHeader(buffer, 0, header)
                .clientId(clientId)
                .correlationId(correlationId)
                .streamId(streamId)
                .exclusive(exclusive ? BooleanType.TRUE : BooleanType.FALSE)
                .channel(channel.toString());
        write(AddPublicationEncoder.TEMPLATE_ID, addPublication.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long removePublication(long registrationId) {
        long correlationId = ring.nextCorrelationId();
        removePublication
                .wrapAndApplyHeader(buffer, 0, header)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId);
        write(RemovePublicationEncoder.TEMPLATE_ID, removePublication.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long addDestination(long registrationId, ChannelUri destination) {
        long correlationId = ring.nextCorrelationId();
        addDestination
                .wrapAndApplyHeader(buffer, 0, header)
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
                .wrapAndApplyHeader(buffer, 0, header)
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
                .wrapAndApplyHeader(buffer, 0, header)
                .clientId(clientId)
                .correlationId(correlationId)
                .streamId(streamId)
                .channel(channel.toString());
        write(AddSubscriptionEncoder.TEMPLATE_ID, addSubscription.encodedLength());
        return correlationId;
    }

    /** Returns the correlation id. */
    long removeSubscription(long registrationId) {
        long correlationId = ring.nextCorrelationId();
        removeSubscription
                .wrapAndApplyHeader(buffer, 0, header)
                .clientId(clientId)
                .correlationId(correlationId)
                .registrationId(registrationId);
        write(RemoveSubscriptionEncoder.TEMPLATE_ID, removeSubscription.encodedLength());
        return correlationId;
    }

    void rejectImage(long imageId, long position, String reason) {
        rejectImage
                .wrapAndApplyHeader(buffer, 0, header)
                .clientId(clientId)
                .imageId(imageId)
                .position(position)
                .reason(reason);
        write(RejectImageEncoder.TEMPLATE_ID, rejectImage.encodedLength());
    }

    void keepalive() {
        keepalive.wrapAndApplyHeader(buffer, 0, header).clientId(clientId);
        write(ClientKeepaliveEncoder.TEMPLATE_ID, keepalive.encodedLength());
    }

    void close() {
        close.wrapAndApplyHeader(buffer, 0, header).clientId(clientId);
        write(ClientCloseEncoder.TEMPLATE_ID, close.encodedLength());
    }

    private void write(int templateId, int encodedLength) {
        int length = MessageHeaderEncoder.ENCODED_LENGTH + encodedLength;
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
