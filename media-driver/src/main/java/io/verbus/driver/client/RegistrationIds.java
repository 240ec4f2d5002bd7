// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.publication.Publication;
import io.verbus.driver.publication.PublicationHolders;
import io.verbus.driver.publication.Publications;
import io.verbus.driver.status.RegisteredCounters;
import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.subscription.SubscriptionList;

import java.util.function.LongSupplier;

/**
 * The ids of everything that clients have registered, and the clients to which they belong. Used by
 * the conductor's thread.
 */
public final class RegistrationIds {
    private final Clients clients;
    private final Publications publications;
    private final PublicationHolders holders;
    private final SubscriptionList subscriptions;
    private final RegisteredCounters counters;
    private final WaitingCommands waiting;
    private final LongSupplier nextId;

    /**
     * @param nextId supplier of the next unassigned correlation id, which is higher than the id of
     *     any command sent so far.
     */
    public RegistrationIds(
            Clients clients,
            Publications publications,
            PublicationHolders holders,
            SubscriptionList subscriptions,
            RegisteredCounters counters,
            WaitingCommands waiting,
            LongSupplier nextId) {
        this.clients = clients;
        this.publications = publications;
        this.holders = holders;
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
        return publications.contains(correlationId) && !holders.isOf(clientId, correlationId)
                || subscriptions.contains(correlationId)
                        && subscriptions.get(clientId, correlationId) == null
                || waiting.contains(correlationId) && !waiting.isOf(clientId, correlationId)
                || counters.isOthers(clientId, correlationId)
                || clients.contains(correlationId) && correlationId != clientId;
    }

    /**
     * Requires that the publication belongs to the client. The command that adds the publication
     * may still be waiting, or its log may still be in preparation.
     */
    void requirePublication(long clientId, long registrationId) {
        if (!holders.isOf(clientId, registrationId) && !waiting.isOf(clientId, registrationId)) {
            throw unknownPublication(registrationId);
        }
    }

    /**
     * Requires that the subscription belongs to the client. The command that adds the subscription
     * may still be waiting.
     */
    void requireSubscription(long clientId, long registrationId) {
        if (subscriptions.get(clientId, registrationId) == null
                && !waiting.isOf(clientId, registrationId)) {
            throw unknownSubscription(registrationId);
        }
    }

    /**
     * Returns the publication that a client holds under this registration id.
     *
     * @throws CommandException if there is none.
     */
    Publication publication(long clientId, long registrationId) {
        Publication publication = holders.publication(clientId, registrationId);
        if (publication == null) {
            throw unknownPublication(registrationId);
        }
        return publication;
    }

    /**
     * Returns the subscription that a client has under this registration id.
     *
     * @throws CommandException if there is none.
     */
    Subscription subscription(long clientId, long registrationId) {
        Subscription subscription = subscriptions.get(clientId, registrationId);
        if (subscription == null) {
            throw unknownSubscription(registrationId);
        }
        return subscription;
    }

    private static CommandException unknownSubscription(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_SUBSCRIPTION,
                "the client has no open subscription with registration id " + registrationId);
    }

    private static CommandException unknownPublication(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_PUBLICATION,
                "the client has no open publication with registration id " + registrationId);
    }
}
