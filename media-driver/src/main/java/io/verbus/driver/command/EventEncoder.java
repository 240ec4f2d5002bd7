// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.AddressType;
import io.verbus.codecs.control.AvailableImageEncoder;
import io.verbus.codecs.control.ClientTimeoutEncoder;
import io.verbus.codecs.control.CounterReadyEncoder;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.codecs.control.ErrorEncoder;
import io.verbus.codecs.control.ExclusivePublicationReadyEncoder;
import io.verbus.codecs.control.NextAvailableSessionIdEncoder;
import io.verbus.codecs.control.OperationSuccessEncoder;
import io.verbus.codecs.control.PublicationErrorEncoder;
import io.verbus.codecs.control.PublicationReadyEncoder;
import io.verbus.codecs.control.StaticCounterEncoder;
import io.verbus.codecs.control.SubscriptionReadyEncoder;
import io.verbus.codecs.control.UnavailableCounterEncoder;
import io.verbus.codecs.control.UnavailableImageEncoder;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.util.OptionalLong;

/** Encodes events and broadcasts them to clients. Used by the conductor's thread. */
public final class EventEncoder {
    /**
     * Maximum length of a text in characters. An event may contain two texts, and clients in other
     * languages accept events of at most 4 KiB.
     */
    private static final int MAX_TEXT = 1900;

    private static final int SCRATCH = 3 * MAX_TEXT;

    /** Used instead of a channel status counter when the channel is always active. */
    public static final int NO_COUNTER = -1;

    private static final long NONE = -1;

    private final EventTransmitter transmitter;
    private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[SCRATCH]);
    private final OperationSuccessEncoder success = new OperationSuccessEncoder();
    private final ErrorEncoder error = new ErrorEncoder();
    private final PublicationReadyEncoder publicationReady = new PublicationReadyEncoder();
    private final ExclusivePublicationReadyEncoder exclusiveReady =
            new ExclusivePublicationReadyEncoder();
    private final PublicationErrorEncoder publicationError = new PublicationErrorEncoder();
    private final SubscriptionReadyEncoder subscriptionReady = new SubscriptionReadyEncoder();
    private final AvailableImageEncoder availableImage = new AvailableImageEncoder();
    private final UnavailableImageEncoder unavailableImage = new UnavailableImageEncoder();
    private final CounterReadyEncoder counterReady = new CounterReadyEncoder();
    private final StaticCounterEncoder staticCounter = new StaticCounterEncoder();
    private final UnavailableCounterEncoder unavailableCounter = new UnavailableCounterEncoder();
    private final ClientTimeoutEncoder clientTimeout = new ClientTimeoutEncoder();
    private final NextAvailableSessionIdEncoder nextSessionId = new NextAvailableSessionIdEncoder();

    public EventEncoder(EventTransmitter transmitter) {
        this.transmitter = transmitter;
    }

    /**
     * Returns whether clients are keeping up with the events. Deferrable events are sent only while
     * clients keep up.
     */
    public boolean isOpen() {
        return transmitter.isOpen();
    }

    public void operationSuccess(long correlationId) {
        success.wrap(scratch, 0).correlationId(correlationId);
        transmit(OperationSuccessEncoder.TEMPLATE_ID, success.encodedLength());
    }

    public void error(long correlationId, ErrorCode code, String message) {
        error.wrap(scratch, 0).correlationId(correlationId).errorCode(code).message(ascii(message));
        transmit(ErrorEncoder.TEMPLATE_ID, error.encodedLength());
    }

    public void publicationReady(
            long correlationId, LogBuffers log, int limitId, int channelStatusId) {
        LogSpec spec = log.spec();
        String file = ascii(log.file().toString());
        if (spec.type() == LogType.EXCLUSIVE_PUBLICATION) {
            exclusiveReady
                    .wrap(scratch, 0)
                    .correlationId(correlationId)
                    .registrationId(spec.registrationId())
                    .sessionId(spec.sessionId())
                    .streamId(spec.streamId())
                    .publisherLimitCounterId(limitId)
                    .channelStatusCounterId(channelStatusId)
                    .logFile(file);
            transmit(ExclusivePublicationReadyEncoder.TEMPLATE_ID, exclusiveReady.encodedLength());
        } else {
            publicationReady
                    .wrap(scratch, 0)
                    .correlationId(correlationId)
                    .registrationId(spec.registrationId())
                    .sessionId(spec.sessionId())
                    .streamId(spec.streamId())
                    .publisherLimitCounterId(limitId)
                    .channelStatusCounterId(channelStatusId)
                    .logFile(file);
            transmit(PublicationReadyEncoder.TEMPLATE_ID, publicationReady.encodedLength());
        }
    }

    /**
     * Reports that a peer, or the transport, has rejected a stream; the publication remains open.
     * Peers can cause any number of these events, so the events are dropped when clients cannot
     * keep up.
     */
    public void publicationError(
            long registrationId, int sessionId, int streamId, ErrorCode code, String message) {
        if (transmitter.isCrowded()) {
            return;
        }
        scratch.setMemory(0, PublicationErrorEncoder.BLOCK_LENGTH, (byte) 0);
        publicationError
                .wrap(scratch, 0)
                .registrationId(registrationId)
                .destinationRegistrationId(NONE)
                .sessionId(sessionId)
                .streamId(streamId)
                .receiverId(NONE)
                .groupTag(NONE)
                .addressType(AddressType.IPV4)
                .errorCode(code)
                .message(ascii(message));
        transmit(PublicationErrorEncoder.TEMPLATE_ID, publicationError.encodedLength());
    }

    /**
     * Reports that a subscriber has rejected a publication's image; the publication remains open.
     * As for {@link #publicationError}, the event is dropped when clients cannot keep up.
     *
     * @param destinationId registration id of the destination that reported the rejection, or -1.
     * @param receiverId id of the receiver that rejected the image, or -1.
     */
    public void imageRejected(
            LogSpec publication,
            long destinationId,
            long receiverId,
            OptionalLong groupTag,
            InetSocketAddress receiver,
            String reason) {
        if (transmitter.isCrowded()) {
            return;
        }
        scratch.setMemory(0, PublicationErrorEncoder.BLOCK_LENGTH, (byte) 0);
        byte[] address = receiver.getAddress().getAddress();
        publicationError
                .wrap(scratch, 0)
                .registrationId(publication.registrationId())
                .destinationRegistrationId(destinationId)
                .sessionId(publication.sessionId())
                .streamId(publication.streamId())
                .receiverId(receiverId)
                .groupTag(groupTag.orElse(NONE))
                .addressType(address.length == Integer.BYTES ? AddressType.IPV4 : AddressType.IPV6)
                .port(receiver.getPort())
                .errorCode(ErrorCode.IMAGE_REJECTED)
                .message(ascii(reason));
        scratch.putBytes(PublicationErrorEncoder.addressEncodingOffset(), address);
        transmit(PublicationErrorEncoder.TEMPLATE_ID, publicationError.encodedLength());
    }

    /**
     * @param channelStatusId id of the counter for the channel's status, or {@link #NO_COUNTER}.
     */
    public void subscriptionReady(long correlationId, int channelStatusId) {
        subscriptionReady
                .wrap(scratch, 0)
                .correlationId(correlationId)
                .channelStatusCounterId(channelStatusId);
        transmit(SubscriptionReadyEncoder.TEMPLATE_ID, subscriptionReady.encodedLength());
    }

    public void availableImage(LogBuffers log, String source, long subscriptionId, int counterId) {
        LogSpec spec = log.spec();
        availableImage
                .wrap(scratch, 0)
                .imageId(spec.registrationId())
                .sessionId(spec.sessionId())
                .streamId(spec.streamId())
                .subscriptionRegistrationId(subscriptionId)
                .subscriberPositionCounterId(counterId)
                .logFile(ascii(log.file().toString()))
                .sourceIdentity(ascii(source));
        transmit(AvailableImageEncoder.TEMPLATE_ID, availableImage.encodedLength());
    }

    public void unavailableImage(LogSpec image, long subscriptionId, ChannelUri channel) {
        unavailableImage
                .wrap(scratch, 0)
                .imageId(image.registrationId())
                .subscriptionRegistrationId(subscriptionId)
                .streamId(image.streamId())
                .channel(ascii(channel.toString()));
        transmit(UnavailableImageEncoder.TEMPLATE_ID, unavailableImage.encodedLength());
    }

    /** Announces a new counter to all clients, including the client that requested it. */
    public void counterReady(long registrationId, int counterId) {
        counterReady.wrap(scratch, 0).correlationId(registrationId).counterId(counterId);
        transmit(CounterReadyEncoder.TEMPLATE_ID, counterReady.encodedLength());
    }

    public void staticCounter(long correlationId, int counterId) {
        staticCounter.wrap(scratch, 0).correlationId(correlationId).counterId(counterId);
        transmit(StaticCounterEncoder.TEMPLATE_ID, staticCounter.encodedLength());
    }

    public void unavailableCounter(long registrationId, int counterId) {
        unavailableCounter.wrap(scratch, 0).registrationId(registrationId).counterId(counterId);
        transmit(UnavailableCounterEncoder.TEMPLATE_ID, unavailableCounter.encodedLength());
    }

    public void nextSessionId(long correlationId, int sessionId) {
        nextSessionId.wrap(scratch, 0).correlationId(correlationId).sessionId(sessionId);
        transmit(NextAvailableSessionIdEncoder.TEMPLATE_ID, nextSessionId.encodedLength());
    }

    public void clientTimeout(long clientId) {
        clientTimeout.wrap(scratch, 0).clientId(clientId);
        transmit(ClientTimeoutEncoder.TEMPLATE_ID, clientTimeout.encodedLength());
    }

    private void transmit(int typeId, int length) {
        transmitter.transmit(typeId, scratch, 0, length);
    }

    private static String ascii(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }
}
