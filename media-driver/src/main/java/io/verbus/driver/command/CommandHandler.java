// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import org.agrona.DirectBuffer;

/** The commands of clients, decoded and well-formed. Conductor's thread. */
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
     * A destination is to be added to a subscription, or removed from one.
     *
     * @param isAdded whether it is to be added.
     */
    void onReceiveDestination(
            long clientId,
            long correlationId,
            long registrationId,
            boolean isAdded,
            String channel);

    /** A counter of a client's own is to be made; key and label are valid within the call only. */
    void onAddCounter(
            long clientId, long correlationId, int typeId, DirectBuffer key, DirectBuffer label);

    void onRemoveCounter(long clientId, long correlationId, long registrationId);

    /**
     * A counter that outlives its client is to be made or found; key and label are valid within the
     * call only.
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

    /** A client wants the driver to end; the token is valid within the call only. */
    void onTerminateDriver(long clientId, DirectBuffer token);

    /** A message in the ring buffer of a type that no command has. */
    void onUnknown(int typeId);

    /**
     * A message in the ring buffer that is no command.
     *
     * @param clientId that it names, 0 where it cannot be read.
     * @param correlationId of the command, 0 where it cannot be read.
     * @param problem in words.
     */
    void onMalformed(long clientId, long correlationId, String problem);
}
