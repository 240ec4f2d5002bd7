// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import org.agrona.DirectBuffer;

/**
 * Handles the commands of clients, which are decoded and well-formed. Used by the conductor's
 * thread.
 */
public interface CommandHandler {
    void onAddPublication(
            long clientId, long correlationId, int streamId, boolean exclusive, String channel);

    void onRemovePublication(
            long clientId, long correlationId, long registrationId, boolean isRevoked);

    void onAddDestination(long clientId, long correlationId, long registrationId, String channel);

    void onRemoveDestination(
            long clientId, long correlationId, long registrationId, String channel);

    void onRemoveDestinationById(
            long clientId, long correlationId, long registrationId, long destinationId);

    void onAddSubscription(long clientId, long correlationId, int streamId, String channel);

    void onRemoveSubscription(long clientId, long correlationId, long registrationId);

    /**
     * Adds a destination to a subscription, or removes one.
     *
     * @param isAdded whether to add the destination.
     */
    void onReceiveDestination(
            long clientId,
            long correlationId,
            long registrationId,
            boolean isAdded,
            String channel);

    /** Adds a counter of a client; key and label are valid only during the call. */
    void onAddCounter(
            long clientId, long correlationId, int typeId, DirectBuffer key, DirectBuffer label);

    void onRemoveCounter(long clientId, long correlationId, long registrationId);

    /**
     * Adds or finds a counter that outlives its client; key and label are valid only during the
     * call.
     */
    void onAddStaticCounter(
            long clientId,
            long correlationId,
            long registrationId,
            int typeId,
            DirectBuffer key,
            DirectBuffer label);

    void onGetNextSessionId(long clientId, long correlationId, int streamId);

    void onClientKeepalive(long clientId);

    void onClientClose(long clientId);

    void onRejectImage(
            long clientId, long correlationId, long imageId, long position, String reason);

    /** Handles a client's request to end the driver; the token is valid only during the call. */
    void onTerminateDriver(long clientId, DirectBuffer token);

    /** Handles a message of an unknown type. */
    void onUnknown(int typeId);

    /**
     * Handles a malformed message.
     *
     * @param clientId client id in the message, 0 if it cannot be read.
     * @param correlationId correlation id in the message, 0 if it cannot be read.
     * @param problem problem as text.
     */
    void onMalformed(long clientId, long correlationId, String problem);
}
