// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.status.ClientCounters;

import java.util.function.LongSupplier;

/**
 * The ids of everything that clients have registered, and the clients to which they belong. Used by
 * the conductor's thread.
 */
final class RegistrationIds {
    private final Clients clients;
    private final Publications publications;
    private final SubscriptionList subscriptions;
    private final ClientCounters counters;
    private final WaitingCommands waiting;
    private final LongSupplier nextId;

    /**
     * @param nextId supplier of the next unassigned correlation id, which is higher than the id of
     *     any command sent so far.
     */
    RegistrationIds(
            Clients clients,
            Publications publications,
            SubscriptionList subscriptions,
            ClientCounters counters,
            WaitingCommands waiting,
            LongSupplier nextId) {
        this.clients = clients;
        this.publications = publications;
        this.subscriptions = subscriptions;
        this.counters = counters;
        this.waiting = waiting;
        this.nextId = nextId;
    }

    /**
     * Requires that an id is new.
     *
     * @throws CommandException if something has the id, or no client can have taken it yet.
     */
    void requireNew(long registrationId) {
        if (publications.contains(registrationId)
                || subscriptions.contains(registrationId)
                || counters.contains(registrationId)
                || waiting.contains(registrationId)) {
            throw new CommandException(
                    ErrorCode.MALFORMED_COMMAND,
                    "registration id "
                            + registrationId
                            + " is already in use: take a new id from the driver's command buffer"
                            + " for each command");
        }
        if (registrationId >= nextId.getAsLong()) {
            throw new CommandException(
                    ErrorCode.MALFORMED_COMMAND,
                    "registration id "
                            + registrationId
                            + " was not allocated: take the id from the driver's command buffer");
        }
    }

    /**
     * Returns whether a command's correlation id belongs to another client, which would mistake the
     * answer to the command for its own.
     */
    boolean isOfAnother(long clientId, long correlationId) {
        return publications.contains(correlationId) && !publications.isOf(clientId, correlationId)
                || subscriptions.contains(correlationId)
                        && !subscriptions.isOf(clientId, correlationId)
                || waiting.contains(correlationId) && !waiting.isOf(clientId, correlationId)
                || counters.isOthers(clientId, correlationId)
                || clients.contains(correlationId) && correlationId != clientId;
    }

    /**
     * Requires that the publication belongs to the client. The command that adds the publication
     * may still be waiting, or its log may still be in preparation.
     */
    void requirePublication(Client client, long registrationId) {
        if (!publications.isOf(client.id(), registrationId)
                && !waiting.isOf(client.id(), registrationId)) {
            throw unknownPublication(registrationId);
        }
    }

    /**
     * Requires that the subscription belongs to the client. The command that adds the subscription
     * may still be waiting.
     */
    void requireSubscription(Client client, long registrationId) {
        if (!subscriptions.isOf(client.id(), registrationId)
                && !waiting.isOf(client.id(), registrationId)) {
            throw unknownSubscription(registrationId);
        }
    }

    static Publication publication(Client client, long registrationId) {
        Publication publication = client.publication(registrationId);
        if (publication == null) {
            throw unknownPublication(registrationId);
        }
        return publication;
    }

    static CommandException unknownSubscription(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_SUBSCRIPTION,
                "the client has no open subscription with registration id " + registrationId);
    }

    static CommandException unknownPublication(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_PUBLICATION,
                "the client has no open publication with registration id " + registrationId);
    }
}
