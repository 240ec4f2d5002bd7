// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.DestinationByIdMessageFlyweight;
import io.aeron.command.DestinationMessageFlyweight;

import java.util.List;

/** Commands for destinations of publications and subscriptions. */
final class DestinationCommands {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "AddDestination",
                            ControlProtocolEvents.ADD_DESTINATION,
                            AddDestinationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId, f.text),
                            (buffer, offset, f) ->
                                    new AddDestinationEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new AddDestinationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        AddDestinationDecoder.BLOCK_LENGTH,
                                                        AddDestinationDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationCorrelationId(f.registrationId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationCorrelationId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "RemoveDestination",
                            ControlProtocolEvents.REMOVE_DESTINATION,
                            RemoveDestinationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId, f.text),
                            (buffer, offset, f) ->
                                    new RemoveDestinationEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new RemoveDestinationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RemoveDestinationDecoder.BLOCK_LENGTH,
                                                        RemoveDestinationDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationCorrelationId(f.registrationId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationCorrelationId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "AddReceiveDestination",
                            ControlProtocolEvents.ADD_RCV_DESTINATION,
                            AddReceiveDestinationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId, f.text),
                            (buffer, offset, f) ->
                                    new AddReceiveDestinationEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new AddReceiveDestinationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        AddReceiveDestinationDecoder.BLOCK_LENGTH,
                                                        AddReceiveDestinationDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationCorrelationId(f.registrationId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationCorrelationId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "RemoveReceiveDestination",
                            ControlProtocolEvents.REMOVE_RCV_DESTINATION,
                            RemoveReceiveDestinationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId, f.text),
                            (buffer, offset, f) ->
                                    new RemoveReceiveDestinationEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new RemoveReceiveDestinationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RemoveReceiveDestinationDecoder
                                                                .BLOCK_LENGTH,
                                                        RemoveReceiveDestinationDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationCorrelationId(f.registrationId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new DestinationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationCorrelationId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "RemoveDestinationById",
                            ControlProtocolEvents.REMOVE_DESTINATION_BY_ID,
                            RemoveDestinationByIdDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.clientId,
                                            f.correlationId,
                                            f.registrationId,
                                            f.destinationRegistrationId),
                            (buffer, offset, f) ->
                                    new RemoveDestinationByIdEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .destinationRegistrationId(f.destinationRegistrationId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new RemoveDestinationByIdDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RemoveDestinationByIdDecoder.BLOCK_LENGTH,
                                                        RemoveDestinationByIdDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.destinationRegistrationId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new DestinationByIdMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.resourceRegistrationId(f.registrationId);
                                theirs.destinationRegistrationId(f.destinationRegistrationId);
                                return DestinationByIdMessageFlyweight.MESSAGE_LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new DestinationByIdMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.resourceRegistrationId(),
                                        theirs.destinationRegistrationId());
                            }));

    private DestinationCommands() {}
}
