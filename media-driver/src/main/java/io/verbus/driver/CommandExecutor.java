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
import io.verbus.driver.command.WaitingCommands;
import io.verbus.driver.status.ClientCounters;
import io.verbus.driver.status.DriverCounters;

import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Carries out the commands of clients with the registries, and answers each. Conductor's thread.
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
    private final ErrorHandler errors;
    private final ClientCounters counters;
    private final Runnable termination;
    private final AtomicCounter commands;
    private final AtomicCounter malformed;

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
            Runnable termination,
            DriverCounters counters,
            ErrorHandler errors) {
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
        this.termination = termination;
        this.errors = errors;
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
                            ChannelUri uri = channel(channel);
                            when(
                                    isReady(uri),
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
                client -> {
                    Publication publication = client.publication(registrationId);
                    if (publication == null) {
                        throw unknownPublication(registrationId);
                    }
                    if (isRevoked) {
                        publications.revoke(publication);
                    }
                    client.removePublication(registrationId);
                    publications.release(publication, false);
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
                            ChannelUri uri = channel(channel);
                            when(
                                    isReady(uri),
                                    client,
                                    correlationId,
                                    registrationId,
                                    () -> {
                                        destinations(client, registrationId)
                                                .add(correlationId, uri, transports);
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
                            ChannelUri uri = channel(channel);
                            when(
                                    isAdded ? isReady(uri) : () -> true,
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

    /** The client is answered before it hears of images that come, or go, with a destination. */
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
            subscriptions.addDestination(subscription, channel, answer);
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
                    int id = counter(() -> counters.addStatic(registrationId, typeId, key, label));
                    events.staticCounter(correlationId, id);
                });
    }

    private static int counter(IntSupplier allocation) {
        try {
            return allocation.getAsInt();
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
                                "the client has no counter " + registrationId + ": it is closed");
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

    /** Carries out a command about a registration, once that is answered. */
    private void about(
            long clientId, long correlationId, long registrationId, Consumer<Client> command) {
        execute(
                clientId,
                correlationId,
                client ->
                        when(
                                () -> true,
                                client,
                                correlationId,
                                registrationId,
                                () -> {
                                    command.accept(client);
                                    events.operationSuccess(correlationId);
                                }));
    }

    /** Runs a command now, or when what it needs is there. */
    private void when(
            BooleanSupplier isReady,
            Client client,
            long correlationId,
            long registrationId,
            Runnable command) {
        BooleanSupplier isDue =
                () -> !publications.isPreparing(registrationId) && isReady.getAsBoolean();
        if (!waiting.isAnyAbout(registrationId) && isDue.getAsBoolean()) {
            command.run();
        } else {
            waiting.add(client.id(), correlationId, registrationId, isDue, inHand.later(command));
        }
    }

    /** Has a channel's names looked up and its transport prepared; tells whether both are done. */
    private BooleanSupplier isReady(ChannelUri channel) {
        CompletableFuture<?>[] lookUps =
                channel.hostNames().stream().map(names::lookUp).toArray(CompletableFuture[]::new);
        CompletableFuture<Void> found = CompletableFuture.allOf(lookUps);
        return () -> found.isDone() && transports.isReadyFor(channel);
    }

    /** A command about a channel, which is named by what it throws or logs. */
    private Consumer<Client> with(String channel, Consumer<Client> command) {
        return client -> inHand.run(channel, () -> command.accept(client));
    }

    private static Destinations destinations(Client client, long registrationId) {
        Publication publication = client.publication(registrationId);
        if (publication == null) {
            throw unknownPublication(registrationId);
        }
        return Destinations.of(publication);
    }

    private static CommandException unknownSubscription(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_SUBSCRIPTION,
                "the client has no subscription " + registrationId + ": it is closed");
    }

    private static CommandException unknownPublication(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_PUBLICATION,
                "the client has no publication " + registrationId + ": it is closed");
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
                            ChannelUri uri = channel(channel);
                            when(
                                    isReady(uri),
                                    client,
                                    correlationId,
                                    correlationId,
                                    () -> subscriptions.add(client, correlationId, streamId, uri));
                        }));
    }

    @Override
    public void onRemoveSubscription(long clientId, long correlationId, long registrationId) {
        about(
                clientId,
                correlationId,
                registrationId,
                client -> {
                    Subscription subscription = client.removeSubscription(registrationId);
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
        errors.onError(
                new BusException(
                        "a client has sent a command of the unknown type "
                                + typeId
                                + ": see that no client is newer than the driver"));
    }

    @Override
    public void onMalformed(long correlationId, String problem) {
        malformed.incrementRelease();
        String text =
                "a client's command is malformed ("
                        + problem
                        + "): see that client and driver fit each other";
        events.error(correlationId, ErrorCode.MALFORMED_COMMAND, text);
        errors.onError(new BusException(text));
    }

    private static ChannelUri channel(String text) {
        try {
            return ChannelUri.parse(text);
        } catch (UnsupportedChannelException e) {
            throw e;
        } catch (BusException e) {
            throw new CommandException(ErrorCode.INVALID_CHANNEL, e.getMessage(), e);
        }
    }

    private void checkNew(long registrationId) {
        if (publications.contains(registrationId)
                || subscriptions.contains(registrationId)
                || counters.contains(registrationId)
                || waiting.isAnyAbout(registrationId)) {
            throw new CommandException(
                    ErrorCode.MALFORMED_COMMAND,
                    "registration id " + registrationId + " is taken: each command needs its own");
        }
    }

    /** Runs a command with which a client adds something: the first makes the client known. */
    private void add(long clientId, long correlationId, Consumer<Client> command) {
        run(correlationId, () -> command.accept(clients.seen(clientId)));
    }

    private void execute(long clientId, long correlationId, Consumer<Client> command) {
        run(correlationId, () -> command.accept(clients.known(clientId)));
    }

    /** Runs a command of a client; what it throws is told to the client. */
    private void run(long correlationId, Runnable command) {
        commands.incrementRelease();
        try {
            command.run();
        } catch (RuntimeException e) {
            failures.tell(correlationId, e);
        }
    }
}
