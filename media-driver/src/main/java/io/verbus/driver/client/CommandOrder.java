// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.background.Names;
import io.verbus.driver.command.CommandChannel;
import io.verbus.driver.command.Opening;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.publication.PublicationHolders;
import io.verbus.driver.share.Shares;
import io.verbus.driver.transports.Transports;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Runs commands once what they need is ready: names, a transport, an earlier command about the same
 * registration, or an endpoint. Used by the conductor's thread.
 */
public final class CommandOrder {
    private final PublicationHolders publications;
    private final Transports transports;
    private final Names names;
    private final WaitingCommands waiting;
    private final CommandChannel inHand;

    public CommandOrder(
            PublicationHolders publications,
            Transports transports,
            Names names,
            WaitingCommands waiting,
            CommandChannel inHand) {
        this.publications = publications;
        this.transports = transports;
        this.names = names;
        this.waiting = waiting;
        this.inHand = inHand;
    }

    /**
     * Runs a command now, or once everything it needs is ready.
     *
     * @param channel channel whose names to resolve and whose transport to prepare, or null.
     */
    void when(
            ChannelUri channel,
            long clientId,
            long correlationId,
            long registrationId,
            Runnable command) {
        long weight = channel == null ? 1 : Shares.weight(channel);
        BooleanSupplier isReady = channel == null ? () -> true : isReady(clientId, channel);
        BooleanSupplier isDue =
                () -> !publications.isPreparing(registrationId) && isReady.getAsBoolean();
        if (!waiting.isAnyAbout(registrationId) && isDue.getAsBoolean()) {
            command.run();
        } else {
            waiting.add(
                    clientId, correlationId, registrationId, weight, isDue, inHand.later(command));
        }
    }

    /** Completes a command now, or once the endpoint that the command opens is open. */
    void end(
            long clientId,
            long correlationId,
            long registrationId,
            ChannelUri channel,
            Opening opening) {
        if (opening.isDone()) {
            opening.end();
        } else {
            waiting.addFirst(
                    clientId,
                    correlationId,
                    registrationId,
                    Shares.weight(channel),
                    opening,
                    inHand.later(opening::end));
        }
    }

    /**
     * Starts resolving a channel's names and preparing its transport. Returns a condition that
     * becomes true once the names are resolved and the transport is ready.
     */
    private BooleanSupplier isReady(long clientId, ChannelUri channel) {
        CompletableFuture<?>[] lookUps =
                channel.hostNames().stream()
                        .map(name -> names.lookUp(clientId, name))
                        .toArray(CompletableFuture[]::new);
        CompletableFuture<Void> found = CompletableFuture.allOf(lookUps);
        return () -> found.isDone() && transports.isReadyFor(channel);
    }
}
