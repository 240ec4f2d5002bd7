// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.channel.UnsupportedChannelException;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.command.CommandChannel;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.command.CommandHandler;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.publication.Publication;
import io.verbus.driver.publication.PublicationDestinations;
import io.verbus.driver.publication.Publications;
import io.verbus.driver.share.ShareException;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.RegisteredCounters;
import io.verbus.driver.subscription.Subscription;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.driver.transports.Transports;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.function.IntSupplier;

/**
 * Executes client commands against the registries, and answers each command. Used by the
 * conductor's thread.
 */
public final class CommandExecutor implements CommandHandler {
    private final Clients clients;
    private final Publications publications;
    private final Subscriptions subscriptions;
    private final Transports transports;
    private final RegistrationIds ids;
    private final CommandOrder order;
    private final CommandChannel inHand;
    private final CommandFailures failures;
    private final ImageRejection rejection;
    private final DriverClock clock;
    private final EventEncoder events;
    private final RegisteredCounters counters;
    private final Runnable termination;
    private final AtomicCounter commands;
    private final AtomicCounter malformed;

    public CommandExecutor(
            Clients clients,
            Publications publications,
            Subscriptions subscriptions,
            Transports transports,
            RegistrationIds ids,
            CommandOrder order,
            CommandChannel inHand,
            CommandFailures failures,
            ImageRejection rejection,
            DriverClock clock,
            EventEncoder events,
            RegisteredCounters clientCounters,
            Runnable termination,
            DriverCounters counters) {
        this.clients = clients;
        this.publications = publications;
        this.subscriptions = subscriptions;
        this.transports = transports;
        this.ids = ids;
        this.order = order;
        this.inHand = inHand;
        this.failures = failures;
        this.rejection = rejection;
        this.clock = clock;
        this.events = events;
        this.counters = clientCounters;
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
                        () -> {
                            ids.requireNew(correlationId);
                            ChannelUri uri = DerivedChannels.forPublication(channel(channel));
                            order.when(
                                    uri,
                                    clientId,
                                    correlationId,
                                    correlationId,
                                    () ->
                                            publications.add(
                                                    clientId,
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
                ids::requirePublication,
                () -> {
                    Publication publication = ids.publication(clientId, registrationId);
                    if (isRevoked) {
                        publications.revoke(clientId, publication);
                    }
                    publications.release(registrationId, false);
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
                        () -> {
                            ids.requirePublication(clientId, registrationId);
                            ChannelUri uri = channel(channel);
                            order.when(
                                    uri,
                                    clientId,
                                    correlationId,
                                    registrationId,
                                    () -> {
                                        destinations(clientId, registrationId)
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
                ids::requirePublication,
                with(
                        channel,
                        () -> destinations(clientId, registrationId).remove(channel(channel))));
    }

    @Override
    public void onRemoveDestinationById(
            long clientId, long correlationId, long registrationId, long destinationId) {
        about(
                clientId,
                correlationId,
                registrationId,
                ids::requirePublication,
                () -> destinations(clientId, registrationId).remove(destinationId));
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
                        () -> {
                            ids.requireSubscription(clientId, registrationId);
                            ChannelUri uri = DerivedChannels.forSubscription(channel(channel));
                            order.when(
                                    isAdded ? uri : null,
                                    clientId,
                                    correlationId,
                                    registrationId,
                                    () ->
                                            changeDestination(
                                                    clientId,
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
            long clientId,
            long correlationId,
            long registrationId,
            boolean isAdded,
            ChannelUri channel) {
        Subscription subscription = ids.subscription(clientId, registrationId);
        Runnable answer = () -> events.operationSuccess(correlationId);
        if (isAdded) {
            order.end(
                    clientId,
                    correlationId,
                    registrationId,
                    channel,
                    subscriptions.destinations().add(subscription, channel, answer));
        } else {
            subscriptions.destinations().remove(subscription, channel, answer);
        }
    }

    @Override
    public void onAddCounter(
            long clientId, long correlationId, int typeId, DirectBuffer key, DirectBuffer label) {
        add(
                clientId,
                correlationId,
                () -> {
                    ids.requireNew(correlationId);
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
                () -> {
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
                () -> {
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
                () -> events.nextSessionId(correlationId, publications.nextSessionId(streamId)));
    }

    /** Checks that a registration belongs to a client. */
    private interface Ownership {
        /**
         * Checks the registration.
         *
         * @throws CommandException if it does not belong to the client.
         */
        void require(long clientId, long registrationId);
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
            Runnable command) {
        execute(
                clientId,
                correlationId,
                () -> {
                    ownership.require(clientId, registrationId);
                    order.when(
                            null,
                            clientId,
                            correlationId,
                            registrationId,
                            () -> {
                                command.run();
                                events.operationSuccess(correlationId);
                            });
                });
    }

    /**
     * Wraps a command about a channel, so that the command's exceptions and log entries name the
     * channel.
     */
    private Runnable with(String channel, Runnable command) {
        return () -> inHand.run(channel, command);
    }

    @Override
    public void onAddSubscription(long clientId, long correlationId, int streamId, String channel) {
        add(
                clientId,
                correlationId,
                with(
                        channel,
                        () -> {
                            ids.requireNew(correlationId);
                            ChannelUri uri = DerivedChannels.forSubscription(channel(channel));
                            order.when(
                                    uri,
                                    clientId,
                                    correlationId,
                                    correlationId,
                                    () ->
                                            order.end(
                                                    clientId,
                                                    correlationId,
                                                    correlationId,
                                                    uri,
                                                    subscriptions.add(
                                                            clientId,
                                                            correlationId,
                                                            streamId,
                                                            uri)));
                        }));
    }

    @Override
    public void onRemoveSubscription(long clientId, long correlationId, long registrationId) {
        about(
                clientId,
                correlationId,
                registrationId,
                ids::requireSubscription,
                () -> subscriptions.remove(ids.subscription(clientId, registrationId)));
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
                () -> {
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
        if (!ids.isOfAnother(clientId, correlationId)) {
            events.error(correlationId, ErrorCode.MALFORMED_COMMAND, text);
        }
        failures.record(
                CommandFailures.Kind.MALFORMED,
                clients.contains(clientId) ? clientId : Shares.NOBODY,
                text);
    }

    private PublicationDestinations destinations(long clientId, long registrationId) {
        return PublicationDestinations.of(ids.publication(clientId, registrationId));
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

    /** Runs a command that adds a resource. A client's first such command registers the client. */
    private void add(long clientId, long correlationId, Runnable command) {
        run(
                clientId,
                correlationId,
                () -> {
                    clients.seen(clientId);
                    command.run();
                });
    }

    private void execute(long clientId, long correlationId, Runnable command) {
        run(
                clientId,
                correlationId,
                () -> {
                    clients.heard(clientId);
                    command.run();
                });
    }

    /** Runs a command, and reports any exception to the client. */
    private void run(long clientId, long correlationId, Runnable command) {
        commands.incrementRelease();
        if (ids.isOfAnother(clientId, correlationId)) {
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
