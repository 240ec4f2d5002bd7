// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.ChannelUri;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.transport.TransportException;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * Carries out the commands of clients with the registries, and answers each. Conductor's thread.
 */
final class CommandExecutor implements CommandHandler {
    private final Clients clients;
    private final Publications publications;
    private final Subscriptions subscriptions;
    private final Transports transports;
    private final ClientEvents events;
    private final ErrorHandler errors;
    private final AtomicCounter commands;
    private final AtomicCounter failed;
    private final AtomicCounter malformed;
    private final AtomicCounter rejected;

    CommandExecutor(
            Clients clients,
            Publications publications,
            Subscriptions subscriptions,
            Transports transports,
            ClientEvents events,
            DriverCounters counters,
            ErrorHandler errors) {
        this.clients = clients;
        this.publications = publications;
        this.subscriptions = subscriptions;
        this.transports = transports;
        this.events = events;
        this.errors = errors;
        this.commands = counters.system(SystemCounter.COMMANDS);
        this.failed = counters.system(SystemCounter.COMMANDS_FAILED);
        this.malformed = counters.system(SystemCounter.COMMANDS_MALFORMED);
        this.rejected = counters.system(SystemCounter.IMAGES_REJECTED);
    }

    @Override
    public boolean isReadyFor(String channel) {
        try {
            return transports.isReadyFor(ChannelUri.parse(channel));
        } catch (BusException e) {
            // The command itself fails by it, and its client is told.
            return true;
        }
    }

    @Override
    public void onAddPublication(
            long clientId, long correlationId, int streamId, boolean exclusive, String channel) {
        execute(
                correlationId,
                () -> {
                    Client client = clients.seen(clientId);
                    checkNew(correlationId);
                    publications.add(client, correlationId, streamId, exclusive, channel(channel));
                });
    }

    @Override
    public void onRemovePublication(long clientId, long correlationId, long registrationId) {
        execute(
                correlationId,
                () -> {
                    Publication publication =
                            clients.seen(clientId).removePublication(registrationId);
                    if (publication == null) {
                        throw unknownPublication(registrationId);
                    }
                    publications.release(publication, false);
                    events.commandSucceeded(correlationId);
                });
    }

    @Override
    public void onAddDestination(
            long clientId, long correlationId, long registrationId, String channel) {
        execute(
                correlationId,
                () -> {
                    destinations(clientId, registrationId).add(channel(channel));
                    events.commandSucceeded(correlationId);
                });
    }

    @Override
    public void onRemoveDestination(
            long clientId, long correlationId, long registrationId, String channel) {
        execute(
                correlationId,
                () -> {
                    destinations(clientId, registrationId).remove(channel(channel));
                    events.commandSucceeded(correlationId);
                });
    }

    private Destinations destinations(long clientId, long registrationId) {
        Publication publication = clients.seen(clientId).publication(registrationId);
        if (publication == null) {
            throw unknownPublication(registrationId);
        }
        return Destinations.of(publication);
    }

    private static CommandException unknownPublication(long registrationId) {
        return new CommandException(
                ErrorCode.UNKNOWN_PUBLICATION,
                "the client has no publication " + registrationId + ": it is closed");
    }

    @Override
    public void onAddSubscription(long clientId, long correlationId, int streamId, String channel) {
        execute(
                correlationId,
                () -> {
                    Client client = clients.seen(clientId);
                    checkNew(correlationId);
                    subscriptions.add(client, correlationId, streamId, channel(channel));
                });
    }

    @Override
    public void onRemoveSubscription(long clientId, long correlationId, long registrationId) {
        execute(
                correlationId,
                () -> {
                    Subscription subscription =
                            clients.seen(clientId).removeSubscription(registrationId);
                    if (subscription == null) {
                        throw new CommandException(
                                ErrorCode.UNKNOWN_SUBSCRIPTION,
                                "the client has no subscription "
                                        + registrationId
                                        + ": it is closed");
                    }
                    subscriptions.remove(subscription);
                    events.commandSucceeded(correlationId);
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
    public void onRejectImage(long clientId, long imageId, long position, String reason) {
        commands.incrementRelease();
        Source source = subscriptions.source(imageId);
        if (source == null) {
            return;
        }
        String why =
                "client "
                        + clientId
                        + " has rejected the image of stream "
                        + source.streamId()
                        + " session "
                        + source.sessionId()
                        + " at position "
                        + position
                        + ": "
                        + reason;
        switch (source) {
            case Publication publication -> publications.fail(publication, why);
            case NetworkImage image -> image.reject(why);
        }
        errors.onError(new BusException(why));
        rejected.incrementRelease();
    }

    @Override
    public void onMalformed(String problem) {
        malformed.incrementRelease();
        errors.onError(
                new BusException(
                        "a client's command is malformed ("
                                + problem
                                + "): use the same Verbus release for driver and clients"));
    }

    private static ChannelUri channel(String text) {
        try {
            return ChannelUri.parse(text);
        } catch (BusException e) {
            throw new CommandException(ErrorCode.INVALID_CHANNEL, e.getMessage(), e);
        }
    }

    private void checkNew(long registrationId) {
        if (publications.contains(registrationId) || subscriptions.contains(registrationId)) {
            throw new CommandException(
                    ErrorCode.MALFORMED_COMMAND,
                    "registration id " + registrationId + " is taken: each command needs its own");
        }
    }

    /** Runs a command; what it throws is told to the client. */
    private void execute(long correlationId, Runnable command) {
        commands.incrementRelease();
        try {
            command.run();
        } catch (RuntimeException e) {
            fail(correlationId, e);
        }
    }

    /** Tells the client; what is not its own doing also goes to the error log. */
    private void fail(long correlationId, RuntimeException e) {
        failed.incrementRelease();
        ErrorCode code =
                switch (e) {
                    case CommandException command -> command.code();
                    case TransportException transport -> ErrorCode.TRANSPORT;
                    default -> ErrorCode.GENERIC;
                };
        String message = e instanceof BusException ? e.getMessage() : e.toString();
        events.commandFailed(correlationId, code, message);
        if (code == ErrorCode.RESOURCE || !(e instanceof BusException)) {
            errors.onError(e);
        }
    }
}
