// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.codecs.control.AddressType;
import io.verbus.codecs.control.AvailableImageDecoder;
import io.verbus.codecs.control.ClientTimeoutDecoder;
import io.verbus.codecs.control.CounterReadyDecoder;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.codecs.control.ErrorDecoder;
import io.verbus.codecs.control.ExclusivePublicationReadyDecoder;
import io.verbus.codecs.control.MessageBounds;
import io.verbus.codecs.control.NextAvailableSessionIdDecoder;
import io.verbus.codecs.control.OperationSuccessDecoder;
import io.verbus.codecs.control.PublicationErrorDecoder;
import io.verbus.codecs.control.PublicationReadyDecoder;
import io.verbus.codecs.control.StaticCounterDecoder;
import io.verbus.codecs.control.SubscriptionReadyDecoder;
import io.verbus.codecs.control.UnavailableCounterDecoder;
import io.verbus.codecs.control.UnavailableImageDecoder;

import org.agrona.DirectBuffer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Decodes events. Checks every length against the message before using it, so that no input makes
 * it read out of bounds. Not thread-safe.
 */
public final class EventDecoder {
    private final OperationSuccessDecoder success = new OperationSuccessDecoder();
    private final ErrorDecoder error = new ErrorDecoder();
    private final PublicationReadyDecoder publicationReady = new PublicationReadyDecoder();
    private final ExclusivePublicationReadyDecoder exclusiveReady =
            new ExclusivePublicationReadyDecoder();
    private final SubscriptionReadyDecoder subscriptionReady = new SubscriptionReadyDecoder();
    private final AvailableImageDecoder availableImage = new AvailableImageDecoder();
    private final UnavailableImageDecoder unavailableImage = new UnavailableImageDecoder();
    private final PublicationErrorDecoder publicationError = new PublicationErrorDecoder();
    private final ClientTimeoutDecoder clientTimeout = new ClientTimeoutDecoder();
    private final CounterReadyDecoder counterReady = new CounterReadyDecoder();
    private final StaticCounterDecoder staticCounter = new StaticCounterDecoder();
    private final UnavailableCounterDecoder unavailableCounter = new UnavailableCounterDecoder();
    private final NextAvailableSessionIdDecoder sessionId = new NextAvailableSessionIdDecoder();

    /** Creates a decoder for one reader of events. */
    public EventDecoder() {}

    /**
     * Decodes one event.
     *
     * @param typeId type id of the event.
     * @param buffer buffer with the event.
     * @param index offset of the event in the buffer.
     * @param length length of the event in bytes.
     * @return the event.
     * @throws BusException if the event is malformed or unknown.
     */
    public DriverEvent decode(int typeId, DirectBuffer buffer, int index, int length) {
        if (!MessageBounds.isWhole(typeId, buffer, index, length)) {
            throw malformed("type " + typeId + ", length " + length + " bytes");
        }
        return switch (typeId) {
            case OperationSuccessDecoder.TEMPLATE_ID -> {
                success.wrap(
                        buffer,
                        index,
                        OperationSuccessDecoder.BLOCK_LENGTH,
                        OperationSuccessDecoder.SCHEMA_VERSION);
                yield new DriverEvent.CommandSucceeded(success.correlationId());
            }
            case ErrorDecoder.TEMPLATE_ID -> {
                error.wrap(buffer, index, ErrorDecoder.BLOCK_LENGTH, ErrorDecoder.SCHEMA_VERSION);
                yield new DriverEvent.CommandFailed(
                        error.correlationId(), code(error.errorCodeRaw()), error.message());
            }
            case PublicationReadyDecoder.TEMPLATE_ID -> publicationReady(buffer, index);
            case ExclusivePublicationReadyDecoder.TEMPLATE_ID -> exclusiveReady(buffer, index);
            case SubscriptionReadyDecoder.TEMPLATE_ID -> {
                subscriptionReady.wrap(
                        buffer,
                        index,
                        SubscriptionReadyDecoder.BLOCK_LENGTH,
                        SubscriptionReadyDecoder.SCHEMA_VERSION);
                yield new DriverEvent.SubscriptionReady(
                        subscriptionReady.correlationId(),
                        subscriptionReady.channelStatusCounterId());
            }
            case AvailableImageDecoder.TEMPLATE_ID -> {
                availableImage.wrap(buffer, index);
                yield new DriverEvent.ImageAvailable(
                        availableImage.imageId(),
                        availableImage.subscriptionRegistrationId(),
                        availableImage.sessionId(),
                        availableImage.streamId(),
                        availableImage.subscriberPositionCounterId(),
                        path(availableImage.logFile()),
                        availableImage.sourceIdentity());
            }
            case UnavailableImageDecoder.TEMPLATE_ID -> {
                unavailableImage.wrap(
                        buffer,
                        index,
                        UnavailableImageDecoder.BLOCK_LENGTH,
                        UnavailableImageDecoder.SCHEMA_VERSION);
                yield new DriverEvent.ImageUnavailable(
                        unavailableImage.imageId(), unavailableImage.subscriptionRegistrationId());
            }
            case PublicationErrorDecoder.TEMPLATE_ID -> {
                publicationError.wrap(
                        buffer,
                        index,
                        PublicationErrorDecoder.BLOCK_LENGTH,
                        PublicationErrorDecoder.SCHEMA_VERSION);
                yield new DriverEvent.PublicationFailed(
                        publicationError.registrationId(),
                        publicationError.destinationRegistrationId(),
                        publicationError.receiverId(),
                        publicationError.groupTag(),
                        address(),
                        code(publicationError.errorCodeRaw()),
                        publicationError.message());
            }
            case ClientTimeoutDecoder.TEMPLATE_ID -> {
                clientTimeout.wrap(
                        buffer,
                        index,
                        ClientTimeoutDecoder.BLOCK_LENGTH,
                        ClientTimeoutDecoder.SCHEMA_VERSION);
                yield new DriverEvent.ClientTimedOut(clientTimeout.clientId());
            }
            case CounterReadyDecoder.TEMPLATE_ID -> {
                counterReady.wrap(
                        buffer,
                        index,
                        CounterReadyDecoder.BLOCK_LENGTH,
                        CounterReadyDecoder.SCHEMA_VERSION);
                yield new DriverEvent.CounterReady(
                        counterReady.correlationId(), counterReady.counterId());
            }
            case StaticCounterDecoder.TEMPLATE_ID -> {
                staticCounter.wrap(
                        buffer,
                        index,
                        StaticCounterDecoder.BLOCK_LENGTH,
                        StaticCounterDecoder.SCHEMA_VERSION);
                yield new DriverEvent.StaticCounterReady(
                        staticCounter.correlationId(), staticCounter.counterId());
            }
            case UnavailableCounterDecoder.TEMPLATE_ID -> {
                unavailableCounter.wrap(
                        buffer,
                        index,
                        UnavailableCounterDecoder.BLOCK_LENGTH,
                        UnavailableCounterDecoder.SCHEMA_VERSION);
                yield new DriverEvent.CounterGone(
                        unavailableCounter.registrationId(), unavailableCounter.counterId());
            }
            case NextAvailableSessionIdDecoder.TEMPLATE_ID -> {
                sessionId.wrap(
                        buffer,
                        index,
                        NextAvailableSessionIdDecoder.BLOCK_LENGTH,
                        NextAvailableSessionIdDecoder.SCHEMA_VERSION);
                yield new DriverEvent.NextSessionId(
                        sessionId.correlationId(), sessionId.sessionId());
            }
            default -> throw malformed("unknown type " + typeId);
        };
    }

    private DriverEvent publicationReady(DirectBuffer buffer, int index) {
        publicationReady.wrap(
                buffer,
                index,
                PublicationReadyDecoder.BLOCK_LENGTH,
                PublicationReadyDecoder.SCHEMA_VERSION);
        return new DriverEvent.PublicationReady(
                publicationReady.correlationId(),
                publicationReady.registrationId(),
                publicationReady.sessionId(),
                publicationReady.streamId(),
                publicationReady.publisherLimitCounterId(),
                publicationReady.channelStatusCounterId(),
                false,
                path(publicationReady.logFile()));
    }

    private DriverEvent exclusiveReady(DirectBuffer buffer, int index) {
        exclusiveReady.wrap(
                buffer,
                index,
                ExclusivePublicationReadyDecoder.BLOCK_LENGTH,
                ExclusivePublicationReadyDecoder.SCHEMA_VERSION);
        return new DriverEvent.PublicationReady(
                exclusiveReady.correlationId(),
                exclusiveReady.registrationId(),
                exclusiveReady.sessionId(),
                exclusiveReady.streamId(),
                exclusiveReady.publisherLimitCounterId(),
                exclusiveReady.channelStatusCounterId(),
                true,
                path(exclusiveReady.logFile()));
    }

    /**
     * Returns the address in a publication error; null if it has no port or an unknown address
     * type.
     */
    private InetSocketAddress address() {
        short type = publicationError.addressTypeRaw();
        boolean isIpv4 = type == AddressType.IPV4.value();
        if (publicationError.port() == 0 || !isIpv4 && type != AddressType.IPV6.value()) {
            return null;
        }
        byte[] bytes = new byte[isIpv4 ? 4 : 16];
        publicationError.getAddress(bytes, 0, bytes.length);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), publicationError.port());
        } catch (UnknownHostException e) {
            throw malformed("an address of " + bytes.length + " bytes");
        }
    }

    private static String path(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw malformed("'" + name + "' is not a valid path");
        }
        return name;
    }

    private static ErrorCode code(int value) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code != ErrorCode.NULL_VAL && code.value() == value) {
                return code;
            }
        }
        return ErrorCode.GENERIC_ERROR;
    }

    private static BusException malformed(String what) {
        return new BusException(
                "an event from the media driver is malformed ("
                        + what
                        + "): use the same Verbus release for driver and clients");
    }
}
