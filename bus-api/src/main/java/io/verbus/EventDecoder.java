// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.BooleanType;
import io.verbus.codecs.control.ClientTimedOutDecoder;
import io.verbus.codecs.control.CommandFailedDecoder;
import io.verbus.codecs.control.CommandSucceededDecoder;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.codecs.control.ImageAvailableDecoder;
import io.verbus.codecs.control.ImageUnavailableDecoder;
import io.verbus.codecs.control.MessageHeaderDecoder;
import io.verbus.codecs.control.PublicationFailedDecoder;
import io.verbus.codecs.control.PublicationReadyDecoder;
import io.verbus.codecs.control.SubscriptionFailedDecoder;
import io.verbus.codecs.control.SubscriptionReadyDecoder;

import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Decodes events. Every length is checked against the message before it is used, so that no bytes
 * whatever can make it read elsewhere. One thread.
 */
final class EventDecoder {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final CommandSucceededDecoder succeeded = new CommandSucceededDecoder();
    private final CommandFailedDecoder failed = new CommandFailedDecoder();
    private final PublicationReadyDecoder publicationReady = new PublicationReadyDecoder();
    private final SubscriptionReadyDecoder subscriptionReady = new SubscriptionReadyDecoder();
    private final ImageAvailableDecoder imageAvailable = new ImageAvailableDecoder();
    private final ImageUnavailableDecoder imageUnavailable = new ImageUnavailableDecoder();
    private final PublicationFailedDecoder publicationFailed = new PublicationFailedDecoder();
    private final SubscriptionFailedDecoder subscriptionFailed = new SubscriptionFailedDecoder();
    private final ClientTimedOutDecoder clientTimedOut = new ClientTimedOutDecoder();

    /**
     * Decodes one event.
     *
     * @param buffer that holds it.
     * @param index at which its header begins.
     * @param length in bytes.
     * @return the event.
     * @throws BusException if it is malformed or unknown.
     */
    DriverEvent decode(DirectBuffer buffer, int index, int length) {
        if (length < MessageHeaderDecoder.ENCODED_LENGTH) {
            throw malformed("it has only " + length + " bytes");
        }
        header.wrap(buffer, index);
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            throw malformed("it is of schema " + header.schemaId());
        }
        int end = index + length;
        return switch (header.templateId()) {
            case CommandSucceededDecoder.TEMPLATE_ID -> {
                checkBlock(CommandSucceededDecoder.BLOCK_LENGTH, length);
                succeeded.wrapAndApplyHeader(buffer, index, header);
                yield new DriverEvent.CommandSucceeded(succeeded.correlationId());
            }
            case CommandFailedDecoder.TEMPLATE_ID -> {
                checkBlock(CommandFailedDecoder.BLOCK_LENGTH, length);
                failed.wrapAndApplyHeader(buffer, index, header);
                checkText(buffer, failed.limit(), end);
                yield new DriverEvent.CommandFailed(
                        failed.correlationId(), code(failed.codeRaw()), failed.message());
            }
            case PublicationReadyDecoder.TEMPLATE_ID -> {
                checkBlock(PublicationReadyDecoder.BLOCK_LENGTH, length);
                publicationReady.wrapAndApplyHeader(buffer, index, header);
                checkText(buffer, publicationReady.limit(), end);
                yield new DriverEvent.PublicationReady(
                        publicationReady.correlationId(),
                        publicationReady.registrationId(),
                        publicationReady.sessionId(),
                        publicationReady.streamId(),
                        publicationReady.limitCounterId(),
                        publicationReady.exclusiveRaw() == BooleanType.TRUE.value(),
                        fileName(publicationReady.logFile()));
            }
            case SubscriptionReadyDecoder.TEMPLATE_ID -> {
                checkBlock(SubscriptionReadyDecoder.BLOCK_LENGTH, length);
                subscriptionReady.wrapAndApplyHeader(buffer, index, header);
                yield new DriverEvent.SubscriptionReady(subscriptionReady.correlationId());
            }
            case ImageAvailableDecoder.TEMPLATE_ID -> {
                checkBlock(ImageAvailableDecoder.BLOCK_LENGTH, length);
                yield imageAvailable(buffer, index, end);
            }
            case ImageUnavailableDecoder.TEMPLATE_ID -> {
                checkBlock(ImageUnavailableDecoder.BLOCK_LENGTH, length);
                imageUnavailable.wrapAndApplyHeader(buffer, index, header);
                checkText(buffer, imageUnavailable.limit(), end);
                yield new DriverEvent.ImageUnavailable(
                        imageUnavailable.imageId(),
                        imageUnavailable.subscriptionId(),
                        imageUnavailable.reason());
            }
            case PublicationFailedDecoder.TEMPLATE_ID -> {
                checkBlock(PublicationFailedDecoder.BLOCK_LENGTH, length);
                publicationFailed.wrapAndApplyHeader(buffer, index, header);
                checkText(buffer, publicationFailed.limit(), end);
                yield new DriverEvent.PublicationFailed(
                        publicationFailed.registrationId(),
                        code(publicationFailed.codeRaw()),
                        publicationFailed.message());
            }
            case SubscriptionFailedDecoder.TEMPLATE_ID -> {
                checkBlock(SubscriptionFailedDecoder.BLOCK_LENGTH, length);
                subscriptionFailed.wrapAndApplyHeader(buffer, index, header);
                checkText(buffer, subscriptionFailed.limit(), end);
                yield new DriverEvent.SubscriptionFailed(
                        subscriptionFailed.registrationId(),
                        code(subscriptionFailed.codeRaw()),
                        subscriptionFailed.message());
            }
            case ClientTimedOutDecoder.TEMPLATE_ID -> {
                checkBlock(ClientTimedOutDecoder.BLOCK_LENGTH, length);
                clientTimedOut.wrapAndApplyHeader(buffer, index, header);
                yield new DriverEvent.ClientTimedOut(clientTimedOut.clientId());
            }
            default -> throw malformed("it is of template " + header.templateId());
        };
    }

    private DriverEvent imageAvailable(DirectBuffer buffer, int index, int end) {
        imageAvailable.wrapAndApplyHeader(buffer, index, header);
        long joinPosition = imageAvailable.joinPosition();
        if (joinPosition < 0 || joinPosition % 32 != 0) {
            throw malformed("its join position is " + joinPosition);
        }
        checkText(buffer, imageAvailable.limit(), end);
        String logFile = fileName(imageAvailable.logFile());
        checkText(buffer, imageAvailable.limit(), end);
        return new DriverEvent.ImageAvailable(
                imageAvailable.imageId(),
                imageAvailable.subscriptionId(),
                imageAvailable.sessionId(),
                imageAvailable.streamId(),
                imageAvailable.positionCounterId(),
                joinPosition,
                logFile,
                imageAvailable.source());
    }

    private void checkBlock(int blockLength, int length) {
        int given = header.blockLength();
        if (given < blockLength || given > length - MessageHeaderDecoder.ENCODED_LENGTH) {
            throw malformed("its block of " + given + " bytes does not fit it");
        }
    }

    private static void checkText(DirectBuffer buffer, int at, int end) {
        int rest = end - at - Integer.BYTES;
        int length = rest < 0 ? -1 : buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
        if (length < 0 || length > rest) {
            throw malformed("a text in it does not fit it");
        }
    }

    private static String fileName(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw malformed("'" + name + "' is not the path of a file");
        }
        return name;
    }

    private static ErrorCode code(int value) {
        for (ErrorCode code : ErrorCode.values()) {
            if (code.value() == value) {
                return code;
            }
        }
        return ErrorCode.GENERIC;
    }

    private static BusException malformed(String what) {
        return new BusException(
                "an event of the media driver is malformed ("
                        + what
                        + "): use the same Verbus release for driver and clients");
    }
}
