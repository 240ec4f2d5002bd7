// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.codecs.control.AddressType;
import io.verbus.codecs.control.AvailableImageEncoder;
import io.verbus.codecs.control.ClientTimeoutEncoder;
import io.verbus.codecs.control.CounterReadyEncoder;
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

import org.agrona.ExpandableArrayBuffer;

import java.util.Arrays;

/**
 * An event as a driver encodes it.
 *
 * @param typeId type id of the event.
 * @param bytes body of the event.
 */
public record EventEncoding(int typeId, byte[] bytes) {
    public static EventEncoding of(DriverEvent event) {
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        return switch (event) {
            case DriverEvent.CommandSucceeded e ->
                    body(
                            OperationSuccessEncoder.TEMPLATE_ID,
                            buffer,
                            new OperationSuccessEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .encodedLength());
            case DriverEvent.CommandFailed e ->
                    body(
                            ErrorEncoder.TEMPLATE_ID,
                            buffer,
                            new ErrorEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .errorCode(e.code())
                                    .message(e.message())
                                    .encodedLength());
            case DriverEvent.PublicationReady e when e.exclusive() ->
                    body(
                            ExclusivePublicationReadyEncoder.TEMPLATE_ID,
                            buffer,
                            new ExclusivePublicationReadyEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .registrationId(e.logRegistrationId())
                                    .sessionId(e.sessionId())
                                    .streamId(e.streamId())
                                    .publisherLimitCounterId(e.limitCounterId())
                                    .channelStatusCounterId(e.statusCounterId())
                                    .logFile(e.logFile())
                                    .encodedLength());
            case DriverEvent.PublicationReady e ->
                    body(
                            PublicationReadyEncoder.TEMPLATE_ID,
                            buffer,
                            new PublicationReadyEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .registrationId(e.logRegistrationId())
                                    .sessionId(e.sessionId())
                                    .streamId(e.streamId())
                                    .publisherLimitCounterId(e.limitCounterId())
                                    .channelStatusCounterId(e.statusCounterId())
                                    .logFile(e.logFile())
                                    .encodedLength());
            case DriverEvent.SubscriptionReady e ->
                    body(
                            SubscriptionReadyEncoder.TEMPLATE_ID,
                            buffer,
                            new SubscriptionReadyEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .channelStatusCounterId(e.statusCounterId())
                                    .encodedLength());
            case DriverEvent.ImageAvailable e ->
                    body(
                            AvailableImageEncoder.TEMPLATE_ID,
                            buffer,
                            new AvailableImageEncoder()
                                    .wrap(buffer, 0)
                                    .imageId(e.imageId())
                                    .sessionId(e.sessionId())
                                    .streamId(e.streamId())
                                    .subscriptionRegistrationId(e.subscriptionId())
                                    .subscriberPositionCounterId(e.positionCounterId())
                                    .logFile(e.logFile())
                                    .sourceIdentity(e.source())
                                    .encodedLength());
            case DriverEvent.ImageUnavailable e ->
                    body(
                            UnavailableImageEncoder.TEMPLATE_ID,
                            buffer,
                            new UnavailableImageEncoder()
                                    .wrap(buffer, 0)
                                    .imageId(e.imageId())
                                    .subscriptionRegistrationId(e.subscriptionId())
                                    .streamId(0)
                                    .channel("aeron:ipc")
                                    .encodedLength());
            case DriverEvent.PublicationFailed e ->
                    body(
                            PublicationErrorEncoder.TEMPLATE_ID,
                            buffer,
                            new PublicationErrorEncoder()
                                    .wrap(buffer, 0)
                                    .registrationId(e.logRegistrationId())
                                    .destinationRegistrationId(e.destinationId())
                                    .receiverId(e.receiverId())
                                    .groupTag(e.groupTag())
                                    .addressType(
                                            address(e).length == 4
                                                    ? AddressType.IPV4
                                                    : AddressType.IPV6)
                                    .port(e.address() == null ? 0 : e.address().getPort())
                                    .putAddress(Arrays.copyOf(address(e), 16), 0, 16)
                                    .errorCode(e.code())
                                    .message(e.message())
                                    .encodedLength());
            case DriverEvent.CounterReady e ->
                    body(
                            CounterReadyEncoder.TEMPLATE_ID,
                            buffer,
                            new CounterReadyEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .counterId(e.counterId())
                                    .encodedLength());
            case DriverEvent.StaticCounterReady e ->
                    body(
                            StaticCounterEncoder.TEMPLATE_ID,
                            buffer,
                            new StaticCounterEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .counterId(e.counterId())
                                    .encodedLength());
            case DriverEvent.CounterGone e ->
                    body(
                            UnavailableCounterEncoder.TEMPLATE_ID,
                            buffer,
                            new UnavailableCounterEncoder()
                                    .wrap(buffer, 0)
                                    .registrationId(e.registrationId())
                                    .counterId(e.counterId())
                                    .encodedLength());
            case DriverEvent.NextSessionId e ->
                    body(
                            NextAvailableSessionIdEncoder.TEMPLATE_ID,
                            buffer,
                            new NextAvailableSessionIdEncoder()
                                    .wrap(buffer, 0)
                                    .correlationId(e.correlationId())
                                    .sessionId(e.sessionId())
                                    .encodedLength());
            case DriverEvent.ClientTimedOut e ->
                    body(
                            ClientTimeoutEncoder.TEMPLATE_ID,
                            buffer,
                            new ClientTimeoutEncoder()
                                    .wrap(buffer, 0)
                                    .clientId(e.clientId())
                                    .encodedLength());
        };
    }

    private static byte[] address(DriverEvent.PublicationFailed event) {
        return event.address() == null ? new byte[4] : event.address().getAddress().getAddress();
    }

    private static EventEncoding body(int typeId, ExpandableArrayBuffer buffer, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return new EventEncoding(typeId, bytes);
    }
}
