// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.CorrelatedMessageFlyweight;
import io.aeron.command.TerminateDriverFlyweight;

import java.util.List;

/** Commands for the client itself and for the driver. */
final class ClientCommands {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "ClientKeepalive",
                            ControlProtocolEvents.CLIENT_KEEPALIVE,
                            ClientKeepaliveDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId),
                            (buffer, offset, f) ->
                                    new ClientKeepaliveEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new ClientKeepaliveDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        ClientKeepaliveDecoder.BLOCK_LENGTH,
                                                        ClientKeepaliveDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new CorrelatedMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                return CorrelatedMessageFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new CorrelatedMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.clientId(), theirs.correlationId());
                            }),
                    new Message(
                            "ClientClose",
                            ControlProtocolEvents.CLIENT_CLOSE,
                            ClientCloseDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId),
                            (buffer, offset, f) ->
                                    new ClientCloseEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new ClientCloseDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        ClientCloseDecoder.BLOCK_LENGTH,
                                                        ClientCloseDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new CorrelatedMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                return CorrelatedMessageFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new CorrelatedMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.clientId(), theirs.correlationId());
                            }),
                    new Message(
                            "TerminateDriver",
                            ControlProtocolEvents.TERMINATE_DRIVER,
                            TerminateDriverDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, Fields.hex(f.key)),
                            (buffer, offset, f) ->
                                    new TerminateDriverEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .putToken(f.key, 0, f.key.length)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new TerminateDriverDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        TerminateDriverDecoder.BLOCK_LENGTH,
                                                        TerminateDriverDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        token(ours),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new TerminateDriverFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.tokenBuffer(f.keyBuffer(), 0, f.key.length);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new TerminateDriverFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        Fields.hex(
                                                buffer,
                                                offset + theirs.tokenBufferOffset(),
                                                theirs.tokenBufferLength()));
                            }));

    private ClientCommands() {}

    private static String token(TerminateDriverDecoder command) {
        byte[] token = new byte[command.tokenLength()];
        command.getToken(token, 0, token.length);
        return Fields.hex(token);
    }
}
