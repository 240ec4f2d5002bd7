// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.NextAvailableSessionIdFlyweight;
import io.aeron.command.PublicationBuffersReadyFlyweight;
import io.aeron.command.PublicationErrorFrameFlyweight;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/** Events for publications. */
final class PublicationEvents {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "PublicationReady",
                            ControlProtocolEvents.ON_PUBLICATION_READY,
                            PublicationReadyDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.correlationId,
                                            f.registrationId,
                                            f.sessionId,
                                            f.streamId,
                                            f.counterId,
                                            f.statusId,
                                            f.text),
                            (buffer, offset, f) ->
                                    new PublicationReadyEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .sessionId(f.sessionId)
                                            .streamId(f.streamId)
                                            .publisherLimitCounterId(f.counterId)
                                            .channelStatusCounterId(f.statusId)
                                            .logFile(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new PublicationReadyDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        PublicationReadyDecoder.BLOCK_LENGTH,
                                                        PublicationReadyDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.sessionId(),
                                        ours.streamId(),
                                        ours.publisherLimitCounterId(),
                                        ours.channelStatusCounterId(),
                                        ours.logFile(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new PublicationBuffersReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationId(f.registrationId);
                                theirs.sessionId(f.sessionId);
                                theirs.streamId(f.streamId);
                                theirs.publicationLimitCounterId(f.counterId);
                                theirs.channelStatusCounterId(f.statusId);
                                theirs.logFileName(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new PublicationBuffersReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.correlationId(),
                                        theirs.registrationId(),
                                        theirs.sessionId(),
                                        theirs.streamId(),
                                        theirs.publicationLimitCounterId(),
                                        theirs.channelStatusCounterId(),
                                        theirs.logFileName());
                            }),
                    new Message(
                            "ExclusivePublicationReady",
                            ControlProtocolEvents.ON_EXCLUSIVE_PUBLICATION_READY,
                            ExclusivePublicationReadyDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.correlationId,
                                            f.registrationId,
                                            f.sessionId,
                                            f.streamId,
                                            f.counterId,
                                            f.statusId,
                                            f.text),
                            (buffer, offset, f) ->
                                    new ExclusivePublicationReadyEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .sessionId(f.sessionId)
                                            .streamId(f.streamId)
                                            .publisherLimitCounterId(f.counterId)
                                            .channelStatusCounterId(f.statusId)
                                            .logFile(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new ExclusivePublicationReadyDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        ExclusivePublicationReadyDecoder
                                                                .BLOCK_LENGTH,
                                                        ExclusivePublicationReadyDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.sessionId(),
                                        ours.streamId(),
                                        ours.publisherLimitCounterId(),
                                        ours.channelStatusCounterId(),
                                        ours.logFile(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new PublicationBuffersReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationId(f.registrationId);
                                theirs.sessionId(f.sessionId);
                                theirs.streamId(f.streamId);
                                theirs.publicationLimitCounterId(f.counterId);
                                theirs.channelStatusCounterId(f.statusId);
                                theirs.logFileName(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new PublicationBuffersReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.correlationId(),
                                        theirs.registrationId(),
                                        theirs.sessionId(),
                                        theirs.streamId(),
                                        theirs.publicationLimitCounterId(),
                                        theirs.channelStatusCounterId(),
                                        theirs.logFileName());
                            }),
                    new Message(
                            "PublicationError",
                            ControlProtocolEvents.ON_PUBLICATION_ERROR,
                            PublicationErrorDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.registrationId,
                                            f.destinationRegistrationId,
                                            f.sessionId,
                                            f.streamId,
                                            f.receiverId,
                                            f.groupTag,
                                            socketAddress(f),
                                            f.errorCode.value(),
                                            f.text),
                            (buffer, offset, f) ->
                                    new PublicationErrorEncoder()
                                            .wrap(buffer, offset)
                                            .registrationId(f.registrationId)
                                            .destinationRegistrationId(f.destinationRegistrationId)
                                            .sessionId(f.sessionId)
                                            .streamId(f.streamId)
                                            .receiverId(f.receiverId)
                                            .groupTag(f.groupTag)
                                            .addressType(f.addressType)
                                            .port(f.port)
                                            .putAddress(f.paddedAddress(), 0, 16)
                                            .errorCode(f.errorCode)
                                            .message(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new PublicationErrorDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        PublicationErrorDecoder.BLOCK_LENGTH,
                                                        PublicationErrorDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.registrationId(),
                                        ours.destinationRegistrationId(),
                                        ours.sessionId(),
                                        ours.streamId(),
                                        ours.receiverId(),
                                        ours.groupTag(),
                                        socketAddress(ours),
                                        ours.errorCodeRaw(),
                                        ours.message(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new PublicationErrorFrameFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.registrationId(f.registrationId);
                                theirs.destinationRegistrationId(f.destinationRegistrationId);
                                theirs.sessionId(f.sessionId);
                                theirs.streamId(f.streamId);
                                theirs.receiverId(f.receiverId);
                                theirs.groupTag(f.groupTag);
                                theirs.sourceAddress(socketAddress(f));
                                theirs.errorCode(io.aeron.ErrorCode.get(f.errorCode.value()));
                                theirs.errorMessage(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new PublicationErrorFrameFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.registrationId(),
                                        theirs.destinationRegistrationId(),
                                        theirs.sessionId(),
                                        theirs.streamId(),
                                        theirs.receiverId(),
                                        theirs.groupTag(),
                                        theirs.sourceAddress(),
                                        theirs.errorCodeValue(),
                                        theirs.errorMessage());
                            }),
                    new Message(
                            "NextAvailableSessionId",
                            ControlProtocolEvents.ON_NEXT_AVAILABLE_SESSION_ID,
                            NextAvailableSessionIdDecoder.TEMPLATE_ID,
                            f -> List.of(f.correlationId, f.sessionId),
                            (buffer, offset, f) ->
                                    new NextAvailableSessionIdEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .sessionId(f.sessionId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new NextAvailableSessionIdDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        NextAvailableSessionIdDecoder.BLOCK_LENGTH,
                                                        NextAvailableSessionIdDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.sessionId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new NextAvailableSessionIdFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                theirs.nextSessionId(f.sessionId);
                                return NextAvailableSessionIdFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new NextAvailableSessionIdFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.correlationId(), theirs.nextSessionId());
                            }));

    private PublicationEvents() {}

    private static InetSocketAddress socketAddress(Fields f) {
        return socketAddress(f.address, f.port);
    }

    private static InetSocketAddress socketAddress(PublicationErrorDecoder event) {
        byte[] address = new byte[PublicationErrorDecoder.addressLength()];
        event.getAddress(address, 0, address.length);
        boolean isIpv4 = event.addressTypeRaw() == AddressType.IPV4.value();
        return socketAddress(isIpv4 ? Arrays.copyOf(address, 4) : address, event.port());
    }

    private static InetSocketAddress socketAddress(byte[] address, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
