// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.CounterMessageFlyweight;
import io.aeron.command.CounterUpdateFlyweight;
import io.aeron.command.RemoveCounterFlyweight;
import io.aeron.command.StaticCounterFlyweight;
import io.aeron.command.StaticCounterMessageFlyweight;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

/** Commands and events for counters. */
final class CounterMessages {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "AddCounter",
                            ControlProtocolEvents.ADD_COUNTER,
                            AddCounterDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.clientId,
                                            f.correlationId,
                                            f.typeId,
                                            Fields.hex(f.key),
                                            f.text),
                            (buffer, offset, f) ->
                                    new AddCounterEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .typeId(f.typeId)
                                            .putKey(f.keyBuffer(), 0, f.key.length)
                                            .label(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours = new AddCounterDecoder().wrap(buffer, offset);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.typeId(),
                                        key(ours.keyLength(), ours::getKey),
                                        ours.label(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new CounterMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.typeId(f.typeId);
                                theirs.keyBuffer(f.keyBuffer(), 0, f.key.length);
                                theirs.label(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new CounterMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.typeId(),
                                        Fields.hex(
                                                buffer,
                                                offset + theirs.keyBufferOffset(),
                                                theirs.keyBufferLength()),
                                        buffer.getStringWithoutLengthAscii(
                                                offset + theirs.labelBufferOffset(),
                                                theirs.labelBufferLength()));
                            }),
                    new Message(
                            "RemoveCounter",
                            ControlProtocolEvents.REMOVE_COUNTER,
                            RemoveCounterDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId),
                            (buffer, offset, f) ->
                                    new RemoveCounterEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new RemoveCounterDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RemoveCounterDecoder.BLOCK_LENGTH,
                                                        RemoveCounterDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new RemoveCounterFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationId(f.registrationId);
                                return RemoveCounterFlyweight.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new RemoveCounterFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationId());
                            }),
                    new Message(
                            "AddStaticCounter",
                            ControlProtocolEvents.ADD_STATIC_COUNTER,
                            AddStaticCounterDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.clientId,
                                            f.correlationId,
                                            f.registrationId,
                                            f.typeId,
                                            Fields.hex(f.key),
                                            f.text),
                            (buffer, offset, f) ->
                                    new AddStaticCounterEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .typeId(f.typeId)
                                            .putKey(f.keyBuffer(), 0, f.key.length)
                                            .label(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours = new AddStaticCounterDecoder().wrap(buffer, offset);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.typeId(),
                                        key(ours.keyLength(), ours::getKey),
                                        ours.label(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new StaticCounterMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationId(f.registrationId);
                                theirs.typeId(f.typeId);
                                theirs.keyBuffer(f.keyBuffer(), 0, f.key.length);
                                theirs.label(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new StaticCounterMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationId(),
                                        theirs.typeId(),
                                        Fields.hex(
                                                buffer,
                                                offset + theirs.keyBufferOffset(),
                                                theirs.keyBufferLength()),
                                        buffer.getStringWithoutLengthAscii(
                                                offset + theirs.labelBufferOffset(),
                                                theirs.labelBufferLength()));
                            }),
                    new Message(
                            "CounterReady",
                            ControlProtocolEvents.ON_COUNTER_READY,
                            CounterReadyDecoder.TEMPLATE_ID,
                            f -> List.of(f.correlationId, f.counterId),
                            (buffer, offset, f) ->
                                    new CounterReadyEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .counterId(f.counterId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new CounterReadyDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        CounterReadyDecoder.BLOCK_LENGTH,
                                                        CounterReadyDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.counterId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new CounterUpdateFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                theirs.counterId(f.counterId);
                                return CounterUpdateFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new CounterUpdateFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.correlationId(), theirs.counterId());
                            }),
                    new Message(
                            "UnavailableCounter",
                            ControlProtocolEvents.ON_UNAVAILABLE_COUNTER,
                            UnavailableCounterDecoder.TEMPLATE_ID,
                            f -> List.of(f.registrationId, f.counterId),
                            (buffer, offset, f) ->
                                    new UnavailableCounterEncoder()
                                            .wrap(buffer, offset)
                                            .registrationId(f.registrationId)
                                            .counterId(f.counterId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new UnavailableCounterDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        UnavailableCounterDecoder.BLOCK_LENGTH,
                                                        UnavailableCounterDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.registrationId(),
                                        ours.counterId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new CounterUpdateFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.registrationId);
                                theirs.counterId(f.counterId);
                                return CounterUpdateFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new CounterUpdateFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.correlationId(), theirs.counterId());
                            }),
                    new Message(
                            "StaticCounter",
                            ControlProtocolEvents.ON_STATIC_COUNTER,
                            StaticCounterDecoder.TEMPLATE_ID,
                            f -> List.of(f.correlationId, f.counterId),
                            (buffer, offset, f) ->
                                    new StaticCounterEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .counterId(f.counterId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new StaticCounterDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        StaticCounterDecoder.BLOCK_LENGTH,
                                                        StaticCounterDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.counterId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new StaticCounterFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                theirs.counterId(f.counterId);
                                return StaticCounterFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new StaticCounterFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(theirs.correlationId(), theirs.counterId());
                            }));

    private CounterMessages() {}

    /** Copies a key. */
    private interface GetKey {
        int get(MutableDirectBuffer dst, int dstOffset, int length);
    }

    private static String key(int length, GetKey command) {
        UnsafeBuffer key = new UnsafeBuffer(new byte[length]);
        // Asks for more bytes than there are.
        return Fields.hex(key, 0, command.get(key, 0, length + 1));
    }
}
