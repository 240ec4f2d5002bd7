// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.codecs.control.BooleanType;
import io.verbus.codecs.control.ClientTimedOutEncoder;
import io.verbus.codecs.control.CommandFailedEncoder;
import io.verbus.codecs.control.CommandSucceededEncoder;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.codecs.control.ImageAvailableEncoder;
import io.verbus.codecs.control.ImageUnavailableEncoder;
import io.verbus.codecs.control.MessageHeaderEncoder;
import io.verbus.codecs.control.PublicationFailedEncoder;
import io.verbus.codecs.control.PublicationReadyEncoder;
import io.verbus.codecs.control.SubscriptionFailedEncoder;
import io.verbus.codecs.control.SubscriptionReadyEncoder;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Encodes what clients are told, and broadcasts it. Conductor's thread. */
final class EventEncoder {
    private static final int MAX_TEXT = 2048;
    private static final int SCRATCH = 3 * MAX_TEXT;

    private final BroadcastTransmitter transmitter;
    private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[SCRATCH]);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final CommandSucceededEncoder succeeded = new CommandSucceededEncoder();
    private final CommandFailedEncoder failed = new CommandFailedEncoder();
    private final PublicationReadyEncoder publicationReady = new PublicationReadyEncoder();
    private final PublicationFailedEncoder publicationFailed = new PublicationFailedEncoder();
    private final SubscriptionFailedEncoder subscriptionFailed = new SubscriptionFailedEncoder();
    private final SubscriptionReadyEncoder subscriptionReady = new SubscriptionReadyEncoder();
    private final ImageAvailableEncoder imageAvailable = new ImageAvailableEncoder();
    private final ImageUnavailableEncoder imageUnavailable = new ImageUnavailableEncoder();
    private final ClientTimedOutEncoder clientTimedOut = new ClientTimedOutEncoder();

    EventEncoder(BroadcastTransmitter transmitter) {
        this.transmitter = transmitter;
    }

    void commandSucceeded(long correlationId) {
        succeeded.wrapAndApplyHeader(scratch, 0, header).correlationId(correlationId);
        transmit(CommandSucceededEncoder.TEMPLATE_ID, succeeded.encodedLength());
    }

    void commandFailed(long correlationId, ErrorCode code, String message) {
        byte[] text = utf8(message);
        failed.wrapAndApplyHeader(scratch, 0, header)
                .correlationId(correlationId)
                .code(code)
                .putMessage(text, 0, text.length);
        transmit(CommandFailedEncoder.TEMPLATE_ID, failed.encodedLength());
    }

    void publicationReady(long correlationId, Publication publication) {
        byte[] file = utf8(publication.log().file().toString());
        publicationReady
                .wrapAndApplyHeader(scratch, 0, header)
                .correlationId(correlationId)
                .registrationId(publication.registrationId())
                .sessionId(publication.sessionId())
                .streamId(publication.streamId())
                .limitCounterId(publication.limit().counterId())
                .exclusive(publication.isExclusive() ? BooleanType.TRUE : BooleanType.FALSE)
                .putLogFile(file, 0, file.length);
        transmit(PublicationReadyEncoder.TEMPLATE_ID, publicationReady.encodedLength());
    }

    void publicationFailed(long registrationId, ErrorCode code, String message) {
        byte[] text = utf8(message);
        publicationFailed
                .wrapAndApplyHeader(scratch, 0, header)
                .registrationId(registrationId)
                .code(code)
                .putMessage(text, 0, text.length);
        transmit(PublicationFailedEncoder.TEMPLATE_ID, publicationFailed.encodedLength());
    }

    void subscriptionFailed(long registrationId, ErrorCode code, String message) {
        byte[] text = utf8(message);
        subscriptionFailed
                .wrapAndApplyHeader(scratch, 0, header)
                .registrationId(registrationId)
                .code(code)
                .putMessage(text, 0, text.length);
        transmit(SubscriptionFailedEncoder.TEMPLATE_ID, subscriptionFailed.encodedLength());
    }

    void subscriptionReady(long correlationId) {
        subscriptionReady.wrapAndApplyHeader(scratch, 0, header).correlationId(correlationId);
        transmit(SubscriptionReadyEncoder.TEMPLATE_ID, subscriptionReady.encodedLength());
    }

    void imageAvailable(
            Subscribable source, long subscriptionId, int counterId, long joinPosition) {
        byte[] file = utf8(source.log().file().toString());
        byte[] from = utf8(source.description());
        imageAvailable
                .wrapAndApplyHeader(scratch, 0, header)
                .imageId(source.id())
                .subscriptionId(subscriptionId)
                .sessionId(source.sessionId())
                .streamId(source.streamId())
                .positionCounterId(counterId)
                .joinPosition(joinPosition)
                .putLogFile(file, 0, file.length)
                .putSource(from, 0, from.length);
        transmit(ImageAvailableEncoder.TEMPLATE_ID, imageAvailable.encodedLength());
    }

    void imageUnavailable(Subscribable source, long subscriptionId, String reason) {
        byte[] text = utf8(reason);
        imageUnavailable
                .wrapAndApplyHeader(scratch, 0, header)
                .imageId(source.id())
                .subscriptionId(subscriptionId)
                .streamId(source.streamId())
                .putReason(text, 0, text.length);
        transmit(ImageUnavailableEncoder.TEMPLATE_ID, imageUnavailable.encodedLength());
    }

    void clientTimedOut(long clientId) {
        clientTimedOut.wrapAndApplyHeader(scratch, 0, header).clientId(clientId);
        transmit(ClientTimedOutEncoder.TEMPLATE_ID, clientTimedOut.encodedLength());
    }

    private void transmit(int templateId, int encodedLength) {
        transmitter.transmit(
                templateId, scratch, 0, MessageHeaderEncoder.ENCODED_LENGTH + encodedLength);
    }

    private static byte[] utf8(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_TEXT ? bytes : Arrays.copyOf(bytes, MAX_TEXT);
    }
}
