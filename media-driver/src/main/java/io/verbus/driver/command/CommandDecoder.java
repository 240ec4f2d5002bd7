// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.codecs.control.AddCounterDecoder;
import io.verbus.codecs.control.AddDestinationDecoder;
import io.verbus.codecs.control.AddExclusivePublicationDecoder;
import io.verbus.codecs.control.AddPublicationDecoder;
import io.verbus.codecs.control.AddReceiveDestinationDecoder;
import io.verbus.codecs.control.AddStaticCounterDecoder;
import io.verbus.codecs.control.AddSubscriptionDecoder;
import io.verbus.codecs.control.ClientCloseDecoder;
import io.verbus.codecs.control.ClientKeepaliveDecoder;
import io.verbus.codecs.control.GetNextAvailableSessionIdDecoder;
import io.verbus.codecs.control.MessageBounds;
import io.verbus.codecs.control.RejectImageDecoder;
import io.verbus.codecs.control.RemoveCounterDecoder;
import io.verbus.codecs.control.RemoveDestinationByIdDecoder;
import io.verbus.codecs.control.RemoveDestinationDecoder;
import io.verbus.codecs.control.RemovePublicationDecoder;
import io.verbus.codecs.control.RemoveReceiveDestinationDecoder;
import io.verbus.codecs.control.RemoveSubscriptionDecoder;
import io.verbus.codecs.control.TerminateDriverDecoder;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Decodes commands from the ring buffer. Each command is copied first, so that a client cannot
 * change bytes after they are checked, and every length in it is checked before use.
 */
public final class CommandDecoder implements MessageHandler {
    /** Maximum command length in bytes: more than the longest channel, key or reason needs. */
    static final int MAX_LENGTH = 8192;

    private static final int CORRELATION_ID = Long.BYTES;
    private static final int FIRST_EVENT = 0x0F00;

    private final CommandHandler handler;
    private final UnsafeBuffer command = new UnsafeBuffer(new byte[MAX_LENGTH]);
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer label = new UnsafeBuffer(0, 0);
    private final AddPublicationDecoder addPublication = new AddPublicationDecoder();
    private final AddExclusivePublicationDecoder addExclusive =
            new AddExclusivePublicationDecoder();
    private final RemovePublicationDecoder removePublication = new RemovePublicationDecoder();
    private final AddDestinationDecoder addDestination = new AddDestinationDecoder();
    private final RemoveDestinationDecoder removeDestination = new RemoveDestinationDecoder();
    private final RemoveDestinationByIdDecoder removeById = new RemoveDestinationByIdDecoder();
    private final AddSubscriptionDecoder addSubscription = new AddSubscriptionDecoder();
    private final RemoveSubscriptionDecoder removeSubscription = new RemoveSubscriptionDecoder();
    private final AddReceiveDestinationDecoder receiveDestination =
            new AddReceiveDestinationDecoder();
    private final AddCounterDecoder addCounter = new AddCounterDecoder();
    private final RemoveCounterDecoder removeCounter = new RemoveCounterDecoder();
    private final AddStaticCounterDecoder addStatic = new AddStaticCounterDecoder();
    private final GetNextAvailableSessionIdDecoder nextSessionId =
            new GetNextAvailableSessionIdDecoder();
    private final ClientKeepaliveDecoder clientKeepalive = new ClientKeepaliveDecoder();
    private final ClientCloseDecoder clientClose = new ClientCloseDecoder();
    private final RejectImageDecoder rejectImage = new RejectImageDecoder();
    private final TerminateDriverDecoder terminate = new TerminateDriverDecoder();

    public CommandDecoder(CommandHandler handler) {
        this.handler = handler;
    }

    @Override
    public void onMessage(int typeId, MutableDirectBuffer buffer, int index, int length) {
        int copied = Math.min(length, MAX_LENGTH);
        command.putBytes(0, buffer, index, copied);
        if (!MessageBounds.isKnown(typeId) || typeId >= FIRST_EVENT) {
            handler.onUnknown(typeId);
        } else if (length > MAX_LENGTH || !MessageBounds.isWhole(typeId, command, 0, length)) {
            boolean hasId = copied >= CORRELATION_ID + Long.BYTES;
            handler.onMalformed(
                    hasId ? command.getLong(0) : 0,
                    hasId ? command.getLong(CORRELATION_ID) : 0,
                    "type " + typeId + ", length " + length + " bytes");
        } else {
            onCommand(typeId, length);
        }
    }

    private void onCommand(int typeId, int length) {
        switch (typeId) {
            case AddPublicationDecoder.TEMPLATE_ID -> addPublication();
            case AddExclusivePublicationDecoder.TEMPLATE_ID -> addExclusive();
            case RemovePublicationDecoder.TEMPLATE_ID -> removePublication(length);
            case AddDestinationDecoder.TEMPLATE_ID -> addDestination();
            case RemoveDestinationDecoder.TEMPLATE_ID -> removeDestination();
            case RemoveDestinationByIdDecoder.TEMPLATE_ID -> removeDestinationById();
            case AddSubscriptionDecoder.TEMPLATE_ID -> addSubscription();
            case RemoveSubscriptionDecoder.TEMPLATE_ID -> removeSubscription();
            // Both commands have the same layout.
            case AddReceiveDestinationDecoder.TEMPLATE_ID -> receiveDestination(true);
            case RemoveReceiveDestinationDecoder.TEMPLATE_ID -> receiveDestination(false);
            case AddCounterDecoder.TEMPLATE_ID -> addCounter();
            case RemoveCounterDecoder.TEMPLATE_ID -> removeCounter();
            case AddStaticCounterDecoder.TEMPLATE_ID -> addStaticCounter();
            case GetNextAvailableSessionIdDecoder.TEMPLATE_ID -> nextSessionId();
            case ClientKeepaliveDecoder.TEMPLATE_ID -> {
                clientKeepalive.wrap(
                        command,
                        0,
                        ClientKeepaliveDecoder.BLOCK_LENGTH,
                        ClientKeepaliveDecoder.SCHEMA_VERSION);
                handler.onClientKeepalive(clientKeepalive.clientId());
            }
            case ClientCloseDecoder.TEMPLATE_ID -> {
                clientClose.wrap(
                        command,
                        0,
                        ClientCloseDecoder.BLOCK_LENGTH,
                        ClientCloseDecoder.SCHEMA_VERSION);
                handler.onClientClose(clientClose.clientId());
            }
            case RejectImageDecoder.TEMPLATE_ID -> rejectImage();
            case TerminateDriverDecoder.TEMPLATE_ID -> terminateDriver();
            default -> handler.onUnknown(typeId);
        }
    }

    private void addPublication() {
        addPublication.wrap(
                command,
                0,
                AddPublicationDecoder.BLOCK_LENGTH,
                AddPublicationDecoder.SCHEMA_VERSION);
        if (isId(addPublication.correlationId())) {
            handler.onAddPublication(
                    addPublication.clientId(),
                    addPublication.correlationId(),
                    addPublication.streamId(),
                    false,
                    addPublication.channel());
        }
    }

    private void addExclusive() {
        addExclusive.wrap(
                command,
                0,
                AddExclusivePublicationDecoder.BLOCK_LENGTH,
                AddExclusivePublicationDecoder.SCHEMA_VERSION);
        if (isId(addExclusive.correlationId())) {
            handler.onAddPublication(
                    addExclusive.clientId(),
                    addExclusive.correlationId(),
                    addExclusive.streamId(),
                    true,
                    addExclusive.channel());
        }
    }

    /** Removes a publication. Older clients omit the flags. */
    private void removePublication(int length) {
        boolean hasFlags = length >= RemovePublicationDecoder.BLOCK_LENGTH;
        removePublication.wrap(
                command,
                0,
                hasFlags
                        ? RemovePublicationDecoder.BLOCK_LENGTH
                        : RemovePublicationDecoder.flagsEncodingOffset(),
                hasFlags ? RemovePublicationDecoder.SCHEMA_VERSION : 0);
        handler.onRemovePublication(
                removePublication.clientId(),
                removePublication.correlationId(),
                removePublication.registrationId(),
                hasFlags && removePublication.flags().revoke());
    }

    private void addDestination() {
        addDestination.wrap(
                command,
                0,
                AddDestinationDecoder.BLOCK_LENGTH,
                AddDestinationDecoder.SCHEMA_VERSION);
        handler.onAddDestination(
                addDestination.clientId(),
                addDestination.correlationId(),
                addDestination.registrationId(),
                addDestination.channel());
    }

    private void removeDestination() {
        removeDestination.wrap(
                command,
                0,
                RemoveDestinationDecoder.BLOCK_LENGTH,
                RemoveDestinationDecoder.SCHEMA_VERSION);
        handler.onRemoveDestination(
                removeDestination.clientId(),
                removeDestination.correlationId(),
                removeDestination.registrationId(),
                removeDestination.channel());
    }

    private void removeDestinationById() {
        removeById.wrap(
                command,
                0,
                RemoveDestinationByIdDecoder.BLOCK_LENGTH,
                RemoveDestinationByIdDecoder.SCHEMA_VERSION);
        handler.onRemoveDestinationById(
                removeById.clientId(),
                removeById.correlationId(),
                removeById.registrationId(),
                removeById.destinationRegistrationId());
    }

    private void addSubscription() {
        addSubscription.wrap(
                command,
                0,
                AddSubscriptionDecoder.BLOCK_LENGTH,
                AddSubscriptionDecoder.SCHEMA_VERSION);
        if (isId(addSubscription.correlationId())) {
            handler.onAddSubscription(
                    addSubscription.clientId(),
                    addSubscription.correlationId(),
                    addSubscription.streamId(),
                    addSubscription.channel());
        }
    }

    private void removeSubscription() {
        removeSubscription.wrap(
                command,
                0,
                RemoveSubscriptionDecoder.BLOCK_LENGTH,
                RemoveSubscriptionDecoder.SCHEMA_VERSION);
        handler.onRemoveSubscription(
                removeSubscription.clientId(),
                removeSubscription.correlationId(),
                removeSubscription.registrationId());
    }

    private void receiveDestination(boolean isAdded) {
        receiveDestination.wrap(
                command,
                0,
                AddReceiveDestinationDecoder.BLOCK_LENGTH,
                AddReceiveDestinationDecoder.SCHEMA_VERSION);
        handler.onReceiveDestination(
                receiveDestination.clientId(),
                receiveDestination.correlationId(),
                receiveDestination.registrationId(),
                isAdded,
                receiveDestination.channel());
    }

    private void addCounter() {
        addCounter.wrap(command, 0);
        addCounter.wrapKey(key);
        addCounter.wrapLabel(label);
        if (isId(addCounter.correlationId())) {
            handler.onAddCounter(
                    addCounter.clientId(),
                    addCounter.correlationId(),
                    addCounter.typeId(),
                    key,
                    label);
        }
    }

    private void removeCounter() {
        removeCounter.wrap(
                command, 0, RemoveCounterDecoder.BLOCK_LENGTH, RemoveCounterDecoder.SCHEMA_VERSION);
        handler.onRemoveCounter(
                removeCounter.clientId(),
                removeCounter.correlationId(),
                removeCounter.registrationId());
    }

    private void addStaticCounter() {
        addStatic.wrap(command, 0);
        addStatic.wrapKey(key);
        addStatic.wrapLabel(label);
        handler.onAddStaticCounter(
                addStatic.clientId(),
                addStatic.correlationId(),
                addStatic.registrationId(),
                addStatic.typeId(),
                key,
                label);
    }

    private void nextSessionId() {
        nextSessionId.wrap(
                command,
                0,
                GetNextAvailableSessionIdDecoder.BLOCK_LENGTH,
                GetNextAvailableSessionIdDecoder.SCHEMA_VERSION);
        handler.onGetNextSessionId(
                nextSessionId.clientId(), nextSessionId.correlationId(), nextSessionId.streamId());
    }

    private void rejectImage() {
        rejectImage.wrap(
                command, 0, RejectImageDecoder.BLOCK_LENGTH, RejectImageDecoder.SCHEMA_VERSION);
        handler.onRejectImage(
                rejectImage.clientId(),
                rejectImage.correlationId(),
                rejectImage.imageId(),
                rejectImage.position(),
                rejectImage.reason());
    }

    private void terminateDriver() {
        terminate.wrap(
                command,
                0,
                TerminateDriverDecoder.BLOCK_LENGTH,
                TerminateDriverDecoder.SCHEMA_VERSION);
        long clientId = terminate.clientId();
        terminate.wrapToken(key);
        handler.onTerminateDriver(clientId, key);
    }

    /**
     * Returns whether an id is valid. Ids come from the ring buffer's counter: they are positive,
     * and become file names.
     */
    private boolean isId(long correlationId) {
        if (correlationId < 0) {
            handler.onMalformed(
                    command.getLong(0), correlationId, "correlation id " + correlationId);
            return false;
        }
        return true;
    }
}
