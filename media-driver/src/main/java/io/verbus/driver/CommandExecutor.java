// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.UnsupportedChannelException;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.background.Names;
import io.verbus.driver.command.CommandChannel;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.CommandHandler;
import io.verbus.driver.command.Opening;
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.ClientCounters;
import io.verbus.driver.status.DriverCounters;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Executes client commands against the registries, and answers each command. Used by the
 * conductor's thread.
 */
final class CommandExecutor implements CommandHandler {
    private final Clients clients;
    private final Publications publications;
    private final Subscriptions subscriptions;
    private final Transports transports;
    private final Names names;
    private final WaitingCommands waiting;
    private final CommandChannel inHand;
    private final CommandFailures failures;
    private final ImageRejection rejection;
    private final DriverClock clock;
    private final EventEncoder events;
    private final ClientCounters counters;
    private final Shares shares;
    private final LongSupplier nextId;
    private final Runnable termination;
    private final AtomicCounter commands;
    private final AtomicCounter malformed;

    /**
     * @param nextId supplier of the next unassigned correlation id, which is higher than the id of
     *     any command sent so far.
     */
    CommandExecutor(
            Clients clients,
            Publications publications,
            Subscriptions subscriptions,
            Transports transports,
            Names names,
            WaitingCommands waiting,
            CommandChannel inHand,
            CommandFailures failures,
            ImageRejection rejection,
            DriverClock clock,
            EventEncoder events,
            ClientCounters clientCounters,
            Shares shares,
            LongSupplier nextId,
            Runnable termination,
            DriverCounters counters) {
        this.clients = clients;
        this.publications = publications;
        this.subscriptions = subscriptions;
        this.transports = transports;
        this.names = names;
        this.waiting = waiting;
        this.inHand = inHand;
        this.failures = failures;
        this.rejection = rejection;
        this.clock = clock;
        this.events = events;
        this.counters = clientCounters;
        this.shares = shares;
        this.nextId = nextId;
        this.termination = termination;
        this.commands = counters.system(SystemCounter.COMMANDS);
        this.malformed = counters.system(SystemCounter.COMMANDS_MALFORMED);
    }

    @Override
    public void onAddPublication(
            long clientId, long correlationId, int streamId, boolean exclusive, String channel) {
        add(
                clientId,
                correlationId,
                with(
                        channel,
                        client -> {
                            checkNew(correlationId);
                            ChannelUri uri = channel(channel).forPublication();
                            when(
                                    uri,
                                    client,
                                    correlationId,
                                    correlationId,
                                    () ->
                                            publications.add(
                                                    client,
                                                    correlationId,
                                                    streamId,
                                                    exclusive,
                                                    uri));
                        }));
    }

    @Override
    public void onRemovePublication(
            long clientId, long correlationId, long registrationId, boolean isRevoked) {
        about(
                clientId,
                correlationId,
                registrationId,
                this::requirePublication,
                client -> {
                    Publication publication = publication(client, registrationId);
                    if (isRevoked) {
                        publications.revoke(client, publication);
                    }
                    publications.release(client, registrationId, false);
                });
    }

    @Override
    public void onAddDestination(
            long clientId, long correlationId, long registrationId, String channel) {
        execute(
                clientId,
                correlationId,
                with(
                        channel,
                        client -> {
                            requirePublication(client, registrationId);
                            ChannelUri uri = channel(channel);
                            when(
                                    uri,
                                    client,
                                    correlationId,
                                    registrationId,
                                    () -> {
                                        destinations(client, registrationId)
                                                .add(correlationId, clientId, uri, transports);
                                        events.operationSuccess(correlationId);
                                    });
                        }));
    }

    @Override
    public void onRemoveDestination(
            long clientId, long correlationId, long registrationId, String channel) {
        about(
                clientId,
                correlationId,
                registrationId,
                this::requirePublication,
                with(
                        channel,
                        client -> destinations(client, registrationId).remove(channel(channel))));
    }

    @Override
    public void onRemoveDestinationById(
            long clientId, long correlationId, long registrationId, long destinationId) {
        about(
                clientId,
                correlationId,
                registrationId,
                this::requirePublication,
                client -> destinations(client, registrationId).remove(destinationId));
    }

    @Override
    public void onReceiveDestination(
            long clientId,
            long correlationId,
            long registrationId,
            boolean isAdded,
            String channel) {
        execute(
                clientId,
                correlationId,
                with(
                        channel,
                        client -> {
                            requireSubscription(client, registrationId);
                            ChannelUri uri = channel(channel).forSubscription();
                            when(
                                    isAdded ? uri : null,
                                    client,
                                    correlationId,
                                    registrationId,
                                    () ->
                                            changeDestination(
                                                    client,
                                                    correlationId,
                                                    registrationId,
                                                    isAdded,
                                                    uri));
                        }));
    }

    /**
     * Adds or removes a destination. The client receives the answer before the events for images
     * that appear or disappear as a result.
     */
    private void changeDestination(
            Client client,
            long correlationId,
            long registrationId,
            boolean isAdded,
            ChannelUri channel) {
        Subscription subscription = client.subscription(registrationId);
        if (subscription == null) {
            throw unknownSubscription(registrationId);
        }
        Runnable answer = () -> events.operationSuccess(correlationId);
        if (isAdded) {
            end(
                    client,
                    correlationId,
                    registrationId,
                    channel,
                    subscriptions.addDestination(subscription, channel, answer));
        } else {
            subscriptions.removeDestination(subscription, channel, answer);
        }
    }

    @Override
    public void onAddCounter(
            long clientId, long correlationId, int typeId, DirectBuffer key, DirectBuffer label) {
        add(
                clientId,
                correlationId,
                client -> {
                    checkNew(correlationId);
                    int id =
                            counter(
                                    () ->
                                            counters.add(
                                                    clientId, correlationId, typeId, key, label));
                    events.counterReady(correlationId, id);
                });
    }

    @Override
    public void onAddStaticCounter(
            long clientId,
            long correlationId,
            long registrationId,
            int typeId,
            DirectBuffer key,
            DirectBuffer label) {
        add(
                clientId,
                correlationId,
                client -> {
                    int id =
                            counter(
                                    () ->
                                            counters.addStatic(
                                                    clientId, registrationId, typeId, key, label));
                    events.staticCounter(correlationId, id);
                });
    }

    private static int counter(IntSupplier allocation) {
        try {
            return allocation.getAsInt();
        } catch (ShareException e) {
            throw e;
        } catch (BusException e) {
            throw new CommandException(ErrorCode.GENERIC_ERROR, e.getMessage(), e);
        }
    }

    @Override
    public void onRemoveCounter(long clientId, long correlationId, long registrationId) {
        execute(
                clientId,
                correlationId,
                client -> {
                    int id = counters.remove(clientId, registrationId);
                    if (id < 0) {
                        throw new CommandException(
                                ErrorCode.UNKNOWN_COUNTER,
                                "the client has no open counter with registration id "
                                        + registrationId);
                    }
                    events.operationSuccess(correlationId);
                    events.unavailableCounter(registrationId, id);
                });
    }

    @Override
    public void onGetNextSessionId(long clientId, long correlationId, int streamId) {
        execute(
                clientId,
                correlationId,
                client ->
                        events.nextSessionId(correlationId, publications.nextSessionId(streamId)));
    }

    /** Checks that a registration belongs to a client. */
    private interface Ownership {
        /**
         * Checks the registration.
         *
         * @throws CommandException if it does not belong to the client.
         */
        void require(Client client, long registrationId);
    }

    /**
     * Runs a command about one of the client's own registrations, once the command that adds the
     * registration has been answered.
     */
    private void about(
            long clientId,
            long correlationId,
            long registrationId,
            Ownership ownership,
            Consumer<Client> command) {
        execute(
                clientId,
                correlationId,
                client -> {
                    ownership.require(client, registrationId);
                    when(
                            null,
                            client,
                            correlationId,
                            registrationId,
                            () -> {
                                command.accept(client);
                                events.operationSuccess(correlationId);
                            });
                });
    }

    /**
     * Runs a command now, or once everything it needs is ready.
     *
     * @param channel channel whose names to resolve and whose transport to prepare, or null.
     */
    private void when(
            ChannelUri channel,
            Client client,
            long correlationId,
            long registrationId,
            Runnable command) {
        long weight = channel == null ? 1 : Shares.weight(channel);
        BooleanSupplier isReady = channel == null ? () -> true : isReady(client.id(), channel);
        BooleanSupplier isDue =
                () -> !publications.isPreparing(registrationId) && isReady.getAsBoolean();
        if (!waiting.isAnyAbout(registrationId) && isDue.getAsBoolean()) {
            command.run();
        } else {
            waiting.add(
                    client.id(),
                    correlationId,
                    registrationId,
                    weight,
                    isDue,
                    inHand.later(command));
        }
    }

    /** Completes a command now, or once the endpoint that the command opens is open. */
    private void end(
            Client client,
            long correlationId,
            long registrationId,
            ChannelUri channel,
            Opening opening) {
        if (opening.isDone()) {
            opening.end();
        } else {
            waiting.addFirst(
                    client.id(),
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

    /**
     * Wraps a command about a channel, so that the command's exceptions and log entries name the
     * channel.
     */
    private Consumer<Client> with(String channel, Consumer<Client> command) {
        return client -> inHand.run(channel, () -> command.accept(client));
    }

    /**
     * Requires that the publication belongs to the client. The command that adds the publication
     * may still be waiting, or its log may still be in preparation.
     */
    private void requirePublication(Client client, long registrationId) {
        if (!publications.isOf(client.id(), registrationId)
                && !waiting.isOf(client.id(), registrationId)) {
            throw unknownPublication(registrationId);
        }
    }

    /**
     * Requires that the subscription belongs to the client. The command that adds the subscription
     * may still be waiting.
     */
    private void requireSubscription(Client client, long registrationId) {
        if (!subscriptions.list().isOf(client.id(), registrationId)
                && !waiting.isOf(client.id(), registrationId)) {
            throw unknownSubscription(registrationId);
        }
    }

    private static Publication publication(Client client, long registrationId) {
        Publication publication = client.publication(registrationId);
        if (publication == null) {
            throw unknownPublication(registrationId);
        }
        return publication;
    }

    private static Destinations destinations(Client client, long registrationId) {
        return Destinations.of(publication(client, registrationId));
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

    @Override
    public void onAddSubscription(long clientId, long correlationId, int streamId, String channel) {
        add(
                clientId,
                correlationId,
                with(
                        channel,
                        client -> {
                            checkNew(correlationId);
                            ChannelUri uri = channel(channel).forSubscription();
                            when(
                                    uri,
                                    client,
                                    correlationId,
                                    correlationId,
                                    () ->
                                            end(
                                                    client,
                                                    correlationId,
                                                    correlationId,
                                                    uri,
                                                    subscriptions.add(
                                                            client, correlationId, streamId, uri)));
                        }));
    }

    @Override
    public void onRemoveSubscription(long clientId, long correlationId, long registrationId) {
        about(
                clientId,
                correlationId,
                registrationId,
                this::requireSubscription,
                client -> {
                    Subscription subscription = client.subscriptions().remove(registrationId);
                    if (subscription == null) {
                        throw unknownSubscription(registrationId);
                    }
                    subscriptions.remove(subscription);
                });
    }

    @Override
    public void onClientKeepalive(long clientId) {
        clients.keepalive(clientId);
    }

    @Override
    public void onClientClose(long clientId) {
        commands.incrementRelease();
        clients.close(clientId);
    }

    @Override
    public void onRejectImage(
            long clientId, long correlationId, long imageId, long position, String reason) {
        execute(
                clientId,
                correlationId,
                client -> {
                    rejection.reject(clientId, imageId, position, reason, clock.nanoTime());
                    events.operationSuccess(correlationId);
                });
    }

    @Override
    public void onTerminateDriver(long clientId, DirectBuffer token) {
        commands.incrementRelease();
        termination.run();
    }

    @Override
    public void onUnknown(int typeId) {
        malformed.incrementRelease();
        events.error(
                0,
                ErrorCode.UNKNOWN_COMMAND_TYPE_ID,
                "there is no command of type " + typeId + ": use a client of Aeron 1.51 or Verbus");
        failures.record(
                CommandFailures.Kind.UNKNOWN_TYPE,
                Shares.NOBODY,
                "a client sent a command of the unknown type "
                        + typeId
                        + ": check that no client is newer than the driver");
    }

    @Override
    public void onMalformed(long clientId, long correlationId, String problem) {
        malformed.incrementRelease();
        String text =
                "a client's command is malformed ("
                        + problem
                        + "): check that client and driver are compatible";
        if (!isOfAnother(clientId, correlationId)) {
            events.error(correlationId, ErrorCode.MALFORMED_COMMAND, text);
        }
        failures.record(
                CommandFailures.Kind.MALFORMED,
                clients.contains(clientId) ? clientId : Shares.NOBODY,
                text);
    }

    private ChannelUri channel(String text) {
        try {
            ChannelUri channel = ChannelUri.parse(text);
            inHand.parsed(channel);
            return channel;
        } catch (UnsupportedChannelException e) {
            throw e;
        } catch (BusException e) {
            throw new CommandException(ErrorCode.INVALID_CHANNEL, e.getMessage(), e);
        }
    }

    private void checkNew(long registrationId) {
        if (publications.contains(registrationId)
                || subscriptions.list().contains(registrationId)
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
    private boolean isOfAnother(long clientId, long correlationId) {
        return publications.contains(correlationId) && !publications.isOf(clientId, correlationId)
                || subscriptions.list().contains(correlationId)
                        && !subscriptions.list().isOf(clientId, correlationId)
                || waiting.contains(correlationId) && !waiting.isOf(clientId, correlationId)
                || counters.isOthers(clientId, correlationId)
                || clients.contains(correlationId) && correlationId != clientId;
    }

    /** Runs a command that adds a resource. A client's first such command registers the client. */
    private void add(long clientId, long correlationId, Consumer<Client> command) {
        run(clientId, correlationId, () -> command.accept(clients.seen(clientId)));
    }

    private void execute(long clientId, long correlationId, Consumer<Client> command) {
        run(clientId, correlationId, () -> command.accept(clients.known(clientId)));
    }

    /** Runs a command, and reports any exception to the client. */
    private void run(long clientId, long correlationId, Runnable command) {
        commands.incrementRelease();
        if (isOfAnother(clientId, correlationId)) {
            failures.refuseTakenId(clientId, correlationId);
            return;
        }
        try {
            command.run();
        } catch (RuntimeException e) {
            failures.tell(clientId, correlationId, e);
        }
    }
}
