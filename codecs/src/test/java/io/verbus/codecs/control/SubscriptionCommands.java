// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.RejectImageFlyweight;
import io.aeron.command.RemoveSubscriptionFlyweight;
import io.aeron.command.SubscriptionMessageFlyweight;

import java.util.List;

/** Commands for subscriptions and their images. */
final class SubscriptionCommands {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "AddSubscription",
                            ControlProtocolEvents.ADD_SUBSCRIPTION,
                            AddSubscriptionDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.clientId,
                                            f.correlationId,
                                            f.registrationId,
                                            f.streamId,
                                            f.text),
                            (buffer, offset, f) ->
                                    new AddSubscriptionEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationCorrelationId(f.registrationId)
                                            .streamId(f.streamId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new AddSubscriptionDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        AddSubscriptionDecoder.BLOCK_LENGTH,
                                                        AddSubscriptionDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationCorrelationId(),
                                        ours.streamId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new SubscriptionMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationCorrelationId(f.registrationId);
                                theirs.streamId(f.streamId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new SubscriptionMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationCorrelationId(),
                                        theirs.streamId(),
                                        theirs.channel());
                            }),
                    new Message(
                            "RemoveSubscription",
                            ControlProtocolEvents.REMOVE_SUBSCRIPTION,
                            RemoveSubscriptionDecoder.TEMPLATE_ID,
                            f -> List.of(f.clientId, f.correlationId, f.registrationId),
                            (buffer, offset, f) ->
                                    new RemoveSubscriptionEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .registrationId(f.registrationId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new RemoveSubscriptionDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RemoveSubscriptionDecoder.BLOCK_LENGTH,
                                                        RemoveSubscriptionDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.registrationId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new RemoveSubscriptionFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.registrationId(f.registrationId);
                                return RemoveSubscriptionFlyweight.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new RemoveSubscriptionFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.registrationId());
                            }),
                    new Message(
                            "RejectImage",
                            ControlProtocolEvents.REJECT_IMAGE,
                            RejectImageDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.clientId,
                                            f.correlationId,
                                            f.imageId,
                                            f.position,
                                            f.text),
                            (buffer, offset, f) ->
                                    new RejectImageEncoder()
                                            .wrap(buffer, offset)
                                            .clientId(f.clientId)
                                            .correlationId(f.correlationId)
                                            .imageId(f.imageId)
                                            .position(f.position)
                                            .reason(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new RejectImageDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        RejectImageDecoder.BLOCK_LENGTH,
                                                        RejectImageDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.clientId(),
                                        ours.correlationId(),
                                        ours.imageId(),
                                        ours.position(),
                                        ours.reason(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new RejectImageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.clientId(f.clientId);
                                theirs.correlationId(f.correlationId);
                                theirs.imageCorrelationId(f.imageId);
                                theirs.position(f.position);
                                theirs.reason(f.text);
                                return RejectImageFlyweight.computeLength(theirs.reason());
                            },
                            (buffer, offset) -> {
                                var theirs = new RejectImageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.clientId(),
                                        theirs.correlationId(),
                                        theirs.imageCorrelationId(),
                                        theirs.position(),
                                        theirs.reason());
                            }));

    private SubscriptionCommands() {}
}
