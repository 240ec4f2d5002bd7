// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.BooleanType;
import io.verbus.codecs.control.ClientTimedOutEncoder;
import io.verbus.codecs.control.CommandFailedEncoder;
import io.verbus.codecs.control.CommandSucceededEncoder;
import io.verbus.codecs.control.ImageAvailableEncoder;
import io.verbus.codecs.control.ImageUnavailableEncoder;
import io.verbus.codecs.control.MessageHeaderEncoder;
import io.verbus.codecs.control.PublicationFailedEncoder;
import io.verbus.codecs.control.PublicationReadyEncoder;
import io.verbus.codecs.control.SubscriptionFailedEncoder;
import io.verbus.codecs.control.SubscriptionReadyEncoder;

import org.agrona.ExpandableArrayBuffer;

/** Encodes events as a driver does. */
final class EventEncoding {
    private EventEncoding() {}

    static byte[] encode(DriverEvent event) {
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        MessageHeaderEncoder header = new MessageHeaderEncoder();
        int length =
                switch (event) {
                    case DriverEvent.CommandSucceeded e ->
                            new CommandSucceededEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .correlationId(e.correlationId())
                                    .encodedLength();
                    case DriverEvent.CommandFailed e ->
                            new CommandFailedEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .correlationId(e.correlationId())
                                    .code(e.code())
                                    .message(e.message())
                                    .encodedLength();
                    case DriverEvent.PublicationReady e ->
                            new PublicationReadyEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .correlationId(e.correlationId())
                                    .registrationId(e.logRegistrationId())
                                    .sessionId(e.sessionId())
                                    .streamId(e.streamId())
                                    .limitCounterId(e.limitCounterId())
                                    .exclusive(e.exclusive() ? BooleanType.TRUE : BooleanType.FALSE)
                                    .logFile(e.logFile())
                                    .encodedLength();
                    case DriverEvent.SubscriptionReady e ->
                            new SubscriptionReadyEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .correlationId(e.correlationId())
                                    .encodedLength();
                    case DriverEvent.ImageAvailable e ->
                            new ImageAvailableEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .imageId(e.imageId())
                                    .subscriptionId(e.subscriptionId())
                                    .sessionId(e.sessionId())
                                    .streamId(e.streamId())
                                    .positionCounterId(e.positionCounterId())
                                    .joinPosition(e.joinPosition())
                                    .logFile(e.logFile())
                                    .source(e.source())
                                    .encodedLength();
                    case DriverEvent.ImageUnavailable e ->
                            new ImageUnavailableEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .imageId(e.imageId())
                                    .subscriptionId(e.subscriptionId())
                                    .streamId(0)
                                    .reason(e.reason())
                                    .encodedLength();
                    case DriverEvent.PublicationFailed e ->
                            new PublicationFailedEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .registrationId(e.logRegistrationId())
                                    .code(e.code())
                                    .message(e.message())
                                    .encodedLength();
                    case DriverEvent.SubscriptionFailed e ->
                            new SubscriptionFailedEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .registrationId(e.registrationId())
                                    .code(e.code())
                                    .message(e.message())
                                    .encodedLength();
                    case DriverEvent.ClientTimedOut e ->
                            new ClientTimedOutEncoder()
                                    .wrapAndApplyHeader(buffer, 0, header)
                                    .clientId(e.clientId())
                                    .encodedLength();
                };
        byte[] bytes = new byte[MessageHeaderEncoder.ENCODED_LENGTH + length];
        buffer.getBytes(0, bytes);
        return bytes;
    }
}
