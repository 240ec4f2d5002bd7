// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ClientTimeoutFlyweight;
import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.ErrorResponseFlyweight;
import io.aeron.command.OperationSucceededFlyweight;

import java.util.List;

/** Events that answer any command, or report the end of a client. */
final class CommandEvents {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "Error",
                            ControlProtocolEvents.ON_ERROR,
                            ErrorDecoder.TEMPLATE_ID,
                            f -> List.of(f.correlationId, f.errorCode.value(), f.text),
                            (buffer, offset, f) ->
                                    new ErrorEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .errorCode(f.errorCode)
                                            .message(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new ErrorDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        ErrorDecoder.BLOCK_LENGTH,
                                                        ErrorDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.errorCodeRaw(),
                                        ours.message(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new ErrorResponseFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.offendingCommandCorrelationId(f.correlationId);
                                theirs.errorCode(io.aeron.ErrorCode.get(f.errorCode.value()));
                                theirs.errorMessage(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new ErrorResponseFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.offendingCommandCorrelationId(),
                                        theirs.errorCodeValue(),
                                        theirs.errorMessage());
                            }),
                    new Message(
                            "OperationSuccess",
                            ControlProtocolEvents.ON_OPERATION_SUCCESS,
                            OperationSuccessDecoder.TEMPLATE_ID,
                            f -> List.of(f.correlationId),
                            (buffer, offset, f) ->
                                    new OperationSuccessEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new OperationSuccessDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        OperationSuccessDecoder.BLOCK_LENGTH,
                                                        OperationSuccessDecoder.SCHEMA_VERSION);
                                return List.of(ours.correlationId(), ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new OperationSucceededFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                return OperationSucceededFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new OperationSucceededFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.correlationId());
                            }),
                    new Message(
                            "ClientTimeout",
                            ControlProtocolEvents.ON_CLIENT_TIMEOUT,
                            ClientTimeoutDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId),
                            (buffer, offset, f) ->
                                    new ClientTimeoutEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new ClientTimeoutDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        ClientTimeoutDecoder.BLOCK_LENGTH,
                                                        ClientTimeoutDecoder.SCHEMA_VERSION);
                                return List.of(ours.clientId(), ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new ClientTimeoutFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                return ClientTimeoutFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new ClientTimeoutFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.clientId());
                            }));

    private CommandEvents() {}
}
