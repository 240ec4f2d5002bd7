// SPDX-License-Identifier: Apache-2.0

package io.verbus.codecs.control;

import io.aeron.command.ControlProtocolEvents;
import io.aeron.command.ImageBuffersReadyFlyweight;
import io.aeron.command.ImageMessageFlyweight;
import io.aeron.command.SubscriptionReadyFlyweight;

import java.util.List;

/** Events for subscriptions and their images. */
final class SubscriptionEvents {
    static final List<Message> ALL =
            List.of(
                    new Message(
                            "SubscriptionReady",
                            ControlProtocolEvents.ON_SUBSCRIPTION_READY,
                            SubscriptionReadyDecoder.TEMPLATE_ID,
                            f -> List.of(f.correlationId, f.statusId),
                            (buffer, offset, f) ->
                                    new SubscriptionReadyEncoder()
                                            .wrap(buffer, offset)
                                            .correlationId(f.correlationId)
                                            .channelStatusCounterId(f.statusId)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new SubscriptionReadyDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        SubscriptionReadyDecoder.BLOCK_LENGTH,
                                                        SubscriptionReadyDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.correlationId(),
                                        ours.channelStatusCounterId(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new SubscriptionReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.correlationId);
                                theirs.channelStatusCounterId(f.statusId);
                                return SubscriptionReadyFlyweight.LENGTH;
                            },
                            (buffer, offset) -> {
                                var theirs = new SubscriptionReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.correlationId(), theirs.channelStatusCounterId());
                            }),
                    new Message(
                            "AvailableImage",
                            ControlProtocolEvents.ON_AVAILABLE_IMAGE,
                            AvailableImageDecoder.TEMPLATE_ID,
                            f ->
                                    List.of(
                                            f.imageId,
                                            f.sessionId,
                                            f.streamId,
                                            f.registrationId,
                                            f.counterId,
                                            f.text,
                                            f.secondText),
                            (buffer, offset, f) ->
                                    new AvailableImageEncoder()
                                            .wrap(buffer, offset)
                                            .imageId(f.imageId)
                                            .sessionId(f.sessionId)
                                            .streamId(f.streamId)
                                            .subscriptionRegistrationId(f.registrationId)
                                            .subscriberPositionCounterId(f.counterId)
                                            .logFile(f.text)
                                            .sourceIdentity(f.secondText)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours = new AvailableImageDecoder().wrap(buffer, offset);
                                return List.of(
                                        ours.imageId(),
                                        ours.sessionId(),
                                        ours.streamId(),
                                        ours.subscriptionRegistrationId(),
                                        ours.subscriberPositionCounterId(),
                                        ours.logFile(),
                                        ours.sourceIdentity(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new ImageBuffersReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.imageId);
                                theirs.sessionId(f.sessionId);
                                theirs.streamId(f.streamId);
                                theirs.subscriptionRegistrationId(f.registrationId);
                                theirs.subscriberPositionId(f.counterId);
                                theirs.logFileName(f.text);
                                theirs.sourceIdentity(f.secondText);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new ImageBuffersReadyFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.correlationId(),
                                        theirs.sessionId(),
                                        theirs.streamId(),
                                        theirs.subscriptionRegistrationId(),
                                        theirs.subscriberPositionId(),
                                        theirs.logFileName(),
                                        theirs.sourceIdentity());
                            }),
                    new Message(
                            "UnavailableImage",
                            ControlProtocolEvents.ON_UNAVAILABLE_IMAGE,
                            UnavailableImageDecoder.TEMPLATE_ID,
                            f -> List.of(f.imageId, f.registrationId, f.streamId, f.text),
                            (buffer, offset, f) ->
                                    new UnavailableImageEncoder()
                                            .wrap(buffer, offset)
                                            .imageId(f.imageId)
                                            .subscriptionRegistrationId(f.registrationId)
                                            .streamId(f.streamId)
                                            .channel(f.text)
                                            .encodedLength(),
                            (buffer, offset) -> {
                                var ours =
                                        new UnavailableImageDecoder()
                                                .wrap(
                                                        buffer,
                                                        offset,
                                                        UnavailableImageDecoder.BLOCK_LENGTH,
                                                        UnavailableImageDecoder.SCHEMA_VERSION);
                                return List.of(
                                        ours.imageId(),
                                        ours.subscriptionRegistrationId(),
                                        ours.streamId(),
                                        ours.channel(),
                                        ours.encodedLength());
                            },
                            (buffer, offset, f) -> {
                                var theirs = new ImageMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                theirs.correlationId(f.imageId);
                                theirs.subscriptionRegistrationId(f.registrationId);
                                theirs.streamId(f.streamId);
                                theirs.channel(f.text);
                                return theirs.length();
                            },
                            (buffer, offset) -> {
                                var theirs = new ImageMessageFlyweight();
                                theirs.wrap(buffer, offset);
                                return List.of(
                                        theirs.correlationId(),
                                        theirs.subscriptionRegistrationId(),
                                        theirs.streamId(),
                                        theirs.channel());
                            }));

    private SubscriptionEvents() {}
}
