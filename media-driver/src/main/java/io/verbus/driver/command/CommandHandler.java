// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

/** The commands of clients, decoded and well-formed. Conductor's thread. */
public interface CommandHandler {
    void onAddPublication(
            long clientId, long correlationId, int streamId, boolean exclusive, String channel);

    void onRemovePublication(long clientId, long correlationId, long registrationId);

    void onAddDestination(long clientId, long correlationId, long registrationId, String channel);

    void onRemoveDestination(
            long clientId, long correlationId, long registrationId, String channel);

    void onAddSubscription(long clientId, long correlationId, int streamId, String channel);

    void onRemoveSubscription(long clientId, long correlationId, long registrationId);

    void onClientKeepalive(long clientId);

    void onClientClose(long clientId);

    void onRejectImage(long clientId, long imageId, long position, String reason);

    /**
     * A message in the ring buffer that is no command.
     *
     * @param problem in words.
     */
    void onMalformed(String problem);
}
