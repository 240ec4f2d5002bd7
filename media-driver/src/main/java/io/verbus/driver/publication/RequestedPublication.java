// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ShownState;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;

import org.agrona.ErrorHandler;

import java.util.ArrayList;
import java.util.List;

/**
 * A publication whose log is being created, and the requests that are waiting for it. Used by the
 * conductor's thread.
 */
final class RequestedPublication implements LogReceiver, NamedPublications.Named {
    /** A client that adds a publication, and the correlation id of its command. */
    private record Asker(long clientId, long correlationId, ChannelUri asked) {}

    private final LogSpec spec;
    private final ChannelUri channel;
    private final Publications publications;
    private final PublicationFactory factory;
    private final PublicationHolders holders;
    private final CommandFailures failures;
    private final DriverCounters counters;
    private final ErrorHandler errors;
    private final List<Asker> askers = new ArrayList<>();
    private ShownState shown; // null until the log exists

    RequestedPublication(
            LogSpec spec,
            ChannelUri channel,
            Publications publications,
            PublicationFactory factory,
            PublicationHolders holders,
            CommandFailures failures,
            DriverCounters counters,
            ErrorHandler errors) {
        this.spec = spec;
        this.channel = channel;
        this.publications = publications;
        this.factory = factory;
        this.holders = holders;
        this.failures = failures;
        this.counters = counters;
        this.errors = errors;
    }

    @Override
    public LogSpec spec() {
        return spec;
    }

    @Override
    public ChannelUri named() {
        return channel;
    }

    /** Returns whether a client still waits for the publication. */
    boolean isAwaited() {
        return !askers.isEmpty();
    }

    @Override
    public void onLog(LogBuffers log) {
        shown = new ShownState(counters);
        askers.removeIf(asker -> !isShown(asker));
        if (askers.isEmpty()) { // in the meantime, all clients have left or were refused
            publications.onRequestEnded(this);
            publications.discard(log);
            return;
        }
        Publication publication;
        try {
            publication = factory.create(log, channel, askers.getFirst().clientId, shown);
        } catch (BusException e) {
            publications.onRequestEnded(this);
            refuse(e);
            return;
        }
        if (publication.begun().isDone()) {
            onBegun(publication);
        } else {
            publication.begun().whenComplete((none, failure) -> onBegunLater(publication));
        }
    }

    private void onBegunLater(Publication publication) {
        try {
            onBegun(publication);
        } catch (RuntimeException e) {
            errors.onError(e);
        }
    }

    /**
     * Adds the publication once its transport has opened the local address. If that has failed,
     * rejects the requests.
     */
    private void onBegun(Publication publication) {
        publications.onRequestEnded(this);
        if (publication.begun().isCompletedExceptionally()) {
            publications.discard(publication);
            refuse((BusException) publication.begun().exceptionNow());
            return;
        }
        publications.add(publication);
        askers.forEach(asker -> publications.give(asker.correlationId, publication));
        publications.join(publication);
    }

    @Override
    public void onFailure(CommandException failure) {
        publications.onRequestEnded(this);
        refuse(failure);
    }

    /** Adds a client's request. */
    void add(long clientId, long correlationId, ChannelUri asked) {
        if (shown != null) {
            show(clientId, correlationId, asked, spec, shown);
        }
        holders.request(clientId, correlationId, channel);
        askers.add(new Asker(clientId, correlationId, asked));
    }

    /**
     * Shows a requesting client's registration to operators. If that fails, rejects the request and
     * returns false.
     */
    private boolean isShown(Asker asker) {
        try {
            factory.requireCounters(channel, asker.clientId);
            show(asker.clientId, asker.correlationId, asker.asked, spec, shown);
            return true;
        } catch (BusException e) {
            refuse(asker, e);
            return false;
        }
    }

    private void refuse(BusException failure) {
        askers.forEach(asker -> refuse(asker, failure));
    }

    private void refuse(Asker asker, BusException failure) {
        holders.forget(asker.correlationId);
        Throwable named = ChannelFailure.of(asker.asked, failure);
        failures.tell(asker.clientId, asker.correlationId, (RuntimeException) named);
    }

    /** Drops the requests of a client that has left. */
    void drop(long clientId) {
        for (Asker asker : askers) {
            if (asker.clientId == clientId) {
                if (shown != null) {
                    shown.remove(asker.correlationId);
                }
                holders.forget(asker.correlationId);
            }
        }
        askers.removeIf(asker -> asker.clientId == clientId);
    }

    /**
     * Shows a client's publication to operators.
     *
     * @throws BusException if there is no counter left.
     */
    static void show(
            long clientId, long correlationId, ChannelUri asked, LogSpec spec, ShownState shown) {
        DriverCounters.Stream of =
                new DriverCounters.Stream(
                        correlationId,
                        clientId,
                        spec.sessionId(),
                        spec.streamId(),
                        asked.toString());
        shown.add(
                CounterTypes.PUBLICATION_STATE,
                "pub-state",
                of,
                spec.registrationId(),
                asked.media());
    }
}
