// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.codecs.control.AddDestinationDecoder;
import io.verbus.codecs.control.AddPublicationDecoder;
import io.verbus.codecs.control.AddSubscriptionDecoder;
import io.verbus.codecs.control.BooleanType;
import io.verbus.codecs.control.ClientCloseDecoder;
import io.verbus.codecs.control.ClientKeepaliveDecoder;
import io.verbus.codecs.control.MessageHeaderDecoder;
import io.verbus.codecs.control.RejectImageDecoder;
import io.verbus.codecs.control.RemoveDestinationDecoder;
import io.verbus.codecs.control.RemovePublicationDecoder;
import io.verbus.codecs.control.RemoveSubscriptionDecoder;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * Decodes commands from the ring buffer. Each is copied out first, so that it is checked and used
 * as the same bytes, and every length in it is checked before it is followed.
 */
public final class CommandDecoder implements MessageHandler {
    /** Longest command in bytes: more than the longest channel, or reason, needs. */
    static final int MAX_LENGTH = 4096;

    private final CommandHandler handler;
    private final UnsafeBuffer command = new UnsafeBuffer(new byte[MAX_LENGTH]);
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final AddPublicationDecoder addPublication = new AddPublicationDecoder();
    private final RemovePublicationDecoder removePublication = new RemovePublicationDecoder();
    private final AddDestinationDecoder addDestination = new AddDestinationDecoder();
    private final RemoveDestinationDecoder removeDestination = new RemoveDestinationDecoder();
    private final AddSubscriptionDecoder addSubscription = new AddSubscriptionDecoder();
    private final RemoveSubscriptionDecoder removeSubscription = new RemoveSubscriptionDecoder();
    private final ClientKeepaliveDecoder clientKeepalive = new ClientKeepaliveDecoder();
    private final ClientCloseDecoder clientClose = new ClientCloseDecoder();
    private final RejectImageDecoder rejectImage = new RejectImageDecoder();
    private int length;

    public CommandDecoder(CommandHandler handler) {
        this.handler = handler;
    }

    @Override
    public void onMessage(int msgTypeId, MutableDirectBuffer buffer, int index, int messageLength) {
        if (messageLength < MessageHeaderDecoder.ENCODED_LENGTH || messageLength > MAX_LENGTH) {
            handler.onMalformed("its length is " + messageLength);
            return;
        }
        length = messageLength;
        command.putBytes(0, buffer, index, messageLength);
        header.wrap(command, 0);
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            handler.onMalformed("its schema is " + header.schemaId());
            return;
        }
        switch (header.templateId()) {
            case ClientKeepaliveDecoder.TEMPLATE_ID -> clientKeepalive();
            case AddPublicationDecoder.TEMPLATE_ID -> addPublication();
            case RemovePublicationDecoder.TEMPLATE_ID -> removePublication();
            case AddDestinationDecoder.TEMPLATE_ID -> addDestination();
            case RemoveDestinationDecoder.TEMPLATE_ID -> removeDestination();
            case AddSubscriptionDecoder.TEMPLATE_ID -> addSubscription();
            case RemoveSubscriptionDecoder.TEMPLATE_ID -> removeSubscription();
            case ClientCloseDecoder.TEMPLATE_ID -> clientClose();
            case RejectImageDecoder.TEMPLATE_ID -> rejectImage();
            default -> handler.onMalformed("its template is " + header.templateId());
        }
    }

    private void clientKeepalive() {
        if (hasBlock(ClientKeepaliveDecoder.BLOCK_LENGTH)) {
            clientKeepalive.wrapAndApplyHeader(command, 0, header);
            handler.onClientKeepalive(clientKeepalive.clientId());
        }
    }

    private void clientClose() {
        if (hasBlock(ClientCloseDecoder.BLOCK_LENGTH)) {
            clientClose.wrapAndApplyHeader(command, 0, header);
            handler.onClientClose(clientClose.clientId());
        }
    }

    private void addPublication() {
        if (!hasBlock(AddPublicationDecoder.BLOCK_LENGTH)) {
            return;
        }
        addPublication.wrapAndApplyHeader(command, 0, header);
        BooleanType exclusive = BooleanType.NULL_VAL;
        int value = addPublication.exclusiveRaw();
        if (value == BooleanType.TRUE.value() || value == BooleanType.FALSE.value()) {
            exclusive = BooleanType.get((short) value);
        }
        if (exclusive == BooleanType.NULL_VAL) {
            handler.onMalformed("its exclusive flag is " + value);
        } else if (isId(addPublication.correlationId()) && hasText(addPublication.limit())) {
            handler.onAddPublication(
                    addPublication.clientId(),
                    addPublication.correlationId(),
                    addPublication.streamId(),
                    exclusive == BooleanType.TRUE,
                    addPublication.channel());
        }
    }

    private void removePublication() {
        if (hasBlock(RemovePublicationDecoder.BLOCK_LENGTH)) {
            removePublication.wrapAndApplyHeader(command, 0, header);
            handler.onRemovePublication(
                    removePublication.clientId(),
                    removePublication.correlationId(),
                    removePublication.registrationId());
        }
    }

    private void addDestination() {
        if (!hasBlock(AddDestinationDecoder.BLOCK_LENGTH)) {
            return;
        }
        addDestination.wrapAndApplyHeader(command, 0, header);
        if (hasText(addDestination.limit())) {
            handler.onAddDestination(
                    addDestination.clientId(),
                    addDestination.correlationId(),
                    addDestination.registrationId(),
                    addDestination.channel());
        }
    }

    private void removeDestination() {
        if (!hasBlock(RemoveDestinationDecoder.BLOCK_LENGTH)) {
            return;
        }
        removeDestination.wrapAndApplyHeader(command, 0, header);
        if (hasText(removeDestination.limit())) {
            handler.onRemoveDestination(
                    removeDestination.clientId(),
                    removeDestination.correlationId(),
                    removeDestination.registrationId(),
                    removeDestination.channel());
        }
    }

    private void addSubscription() {
        if (!hasBlock(AddSubscriptionDecoder.BLOCK_LENGTH)) {
            return;
        }
        addSubscription.wrapAndApplyHeader(command, 0, header);
        if (isId(addSubscription.correlationId()) && hasText(addSubscription.limit())) {
            handler.onAddSubscription(
                    addSubscription.clientId(),
                    addSubscription.correlationId(),
                    addSubscription.streamId(),
                    addSubscription.channel());
        }
    }

    private void removeSubscription() {
        if (hasBlock(RemoveSubscriptionDecoder.BLOCK_LENGTH)) {
            removeSubscription.wrapAndApplyHeader(command, 0, header);
            handler.onRemoveSubscription(
                    removeSubscription.clientId(),
                    removeSubscription.correlationId(),
                    removeSubscription.registrationId());
        }
    }

    private void rejectImage() {
        if (!hasBlock(RejectImageDecoder.BLOCK_LENGTH)) {
            return;
        }
        rejectImage.wrapAndApplyHeader(command, 0, header);
        if (hasText(rejectImage.limit())) {
            handler.onRejectImage(
                    rejectImage.clientId(),
                    rejectImage.imageId(),
                    rejectImage.position(),
                    rejectImage.reason());
        }
    }

    private boolean hasBlock(int expected) {
        int given = header.blockLength();
        if (given < expected || given > length - MessageHeaderDecoder.ENCODED_LENGTH) {
            handler.onMalformed("its block has " + given + " bytes of " + length);
            return false;
        }
        return true;
    }

    private boolean hasText(int at) {
        int rest = length - at - Integer.BYTES;
        int given = rest < 0 ? -1 : command.getInt(at, ByteOrder.LITTLE_ENDIAN);
        if (given < 0 || given > rest) {
            handler.onMalformed("its text has " + given + " bytes of " + rest);
            return false;
        }
        return true;
    }

    /** Ids come from the ring buffer's counter: they are positive, and become file names. */
    private boolean isId(long correlationId) {
        if (correlationId < 0) {
            handler.onMalformed("its correlation id is " + correlationId);
            return false;
        }
        return true;
    }
}
