// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.GetNextAvailableSessionIdMessageFlyweight;
import io.aeron.command.PublicationMessageFlyweight;
import io.aeron.command.RemovePublicationFlyweight;

import java.util.List;

/** Commands for publications. */
final class PublicationCommands {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "AddPublication",
                            ControlProtocolEvents.ADD_PUBLICATION,
                            AddPublicationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.streamId, f.text),
                            (buffer, offset, f) ->
                                    new AddPublicationEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .streamId(f.streamId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new AddPublicationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        AddPublicationDecoder.BLOCK_LENGTH,
                                                        AddPublicationDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.streamId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new PublicationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.streamId(f.streamId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new PublicationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.streamId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "RemovePublication",
                            ControlProtocolEvents.REMOVE_PUBLICATION,
                            RemovePublicationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId, f.revoke),
                            (buffer, offset, f) -> {
                                var ours = new RemovePublicationEncoder().wrap(buffer, offset);
                                ours.clientId(f.clientId)
                                        .correlationId(f.correlationId)
                                        .registrationId(f.registrationId);
                                ours.flags().clear().revoke(f.revoke);
                                return ours.encodedLength();
                            },
                            (buffer, offset) -> {
                                var ours =
                                        new RemovePublicationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RemovePublicationDecoder.BLOCK_LENGTH,
                                                        RemovePublicationDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.flags().revoke(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new RemovePublicationFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationId(f.registrationId);
                                theirs.revoke(f.revoke);
                                return RemovePublicationFlyweight.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new RemovePublicationFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationId(),
                                        theirs.revoke());
                            }),
                    new Message(
                            "AddExclusivePublication",
                            ControlProtocolEvents.ADD_EXCLUSIVE_PUBLICATION,
                            AddExclusivePublicationDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.streamId, f.text),
                            (buffer, offset, f) ->
                                    new AddExclusivePublicationEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .streamId(f.streamId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new AddExclusivePublicationDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        AddExclusivePublicationDecoder.BLOCK_LENGTH,
                                                        AddExclusivePublicationDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.streamId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new PublicationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.streamId(f.streamId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new PublicationMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.streamId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "GetNextAvailableSessionId",
                            ControlProtocolEvents.GET_NEXT_AVAILABLE_SESSION_ID,
                            GetNextAvailableSessionIdDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.streamId),
                            (buffer, offset, f) ->
                                    new GetNextAvailableSessionIdEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .streamId(f.streamId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new GetNextAvailableSessionIdDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        GetNextAvailableSessionIdDecoder
                                                                .BLOCK_LENGTH,
                                                        GetNextAvailableSessionIdDecoder
                                                                .SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.streamId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new GetNextAvailableSessionIdMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.streamId(f.streamId);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new GetNextAvailableSessionIdMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.streamId());
                            }));

    private PublicationCommands() {}
}
