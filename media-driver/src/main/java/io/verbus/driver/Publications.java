// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.channel.SendStatuses;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.share.Share;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.ShownState;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.transport.RoundRobin;

import org.agrona.ErrorHandler;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Creates, finds and releases the driver's publications. A publication exists from the first
 * command that adds it until its log is released. Used by the conductor's thread.
 */
final class Publications implements RoundRobin.Turn<Publication> {
    private final PublicationFactory factory;
    private final Subscriptions subscriptions;
    private final LogFiles files;
    private final SendStatuses statuses;
    private final EventEncoder events;
    private final ErrorHandler errors;
    private final SpiedPublications spied;
    private final Responses responses;
    private final DriverClock clock;
    private final AtomicCounter count;
    private final AtomicCounter unblocked;
    private final AtomicCounter revoked;
    private final CommandFailures failures;
    private final DriverCounters counters;
    private final Shares shares;
    private final NamedPublications named = new NamedPublications();
    private final List<Publication> all = new ArrayList<>();
    private final List<Preparation> preparations = new ArrayList<>();

    /**
     * Clients that have requested or hold a publication, by the registration id of their request.
     */
    private final Long2LongHashMap owners = new Long2LongHashMap(Shares.NOBODY);

    /** Registration ids of publications whose logs are being created. */
    private final LongHashSet preparing = new LongHashSet();

    /** Registration ids of the existing logs. */
    private final LongHashSet logs = new LongHashSet();

    private final RoundRobin<Publication> roundRobin;

    /** Whether the driver is closing and accepts no more publications. */
    private boolean isClosing;

    /** The publication that was serviced last, if it became free in the process. */
    private Publication free;

    Publications(
            PublicationFactory factory,
            Subscriptions subscriptions,
            LogFiles files,
            SendStatuses statuses,
            EventEncoder events,
            SpiedPublications spied,
            Responses responses,
            CommandFailures failures,
            DriverCounters counters,
            DriverClock clock,
            Shares shares,
            ErrorHandler errors) {
        this.shares = shares;
        this.factory = factory;
        this.subscriptions = subscriptions;
        this.files = files;
        this.statuses = statuses;
        this.events = events;
        this.spied = spied;
        this.responses = responses;
        this.clock = clock;
        this.errors = errors;
        this.failures = failures;
        this.counters = counters;
        this.count = counters.system(SystemCounter.PUBLICATIONS);
        this.revoked = counters.system(SystemCounter.PUBLICATIONS_REVOKED);
        this.unblocked = counters.system(SystemCounter.UNBLOCKED);
        this.roundRobin = new RoundRobin<>(Conductor.IDLE_AFTER_NS, clock.nanoTime());
    }

    /** A client that adds a publication, and the correlation id of its command. */
    private record Asker(Client client, long correlationId, ChannelUri asked) {}

    /** A publication whose log is being created, and the commands that are waiting for it. */
    private final class Preparation implements LogReceiver, NamedPublications.Named {
        private final LogSpec spec;
        private final ChannelUri channel;
        private final List<Asker> askers = new ArrayList<>();
        private ShownState shown; // null until the log exists

        private Preparation(LogSpec spec, ChannelUri channel) {
            this.spec = spec;
            this.channel = channel;
        }

        @Override
        public LogSpec spec() {
            return spec;
        }

        @Override
        public ChannelUri named() {
            return channel;
        }

        @Override
        public void onLog(LogBuffers log) {
            shown = new ShownState(counters);
            askers.removeIf(asker -> !isShown(asker));
            if (askers.isEmpty()) {
                end();
                files.free(log); // in the meantime, all clients have left or were refused
                return;
            }
            Publication publication;
            try {
                publication = factory.create(log, channel, askers.getFirst().client.id(), shown);
            } catch (BusException e) {
                end();
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
         * rejects the publication.
         */
        private void onBegun(Publication publication) {
            end();
            if (publication.begun().isCompletedExceptionally()) {
                discard(publication);
                refuse((BusException) publication.begun().exceptionNow());
                return;
            }
            logs.add(publication.registrationId());
            all.add(publication);
            named.add(publication);
            roundRobin.add(publication);
            spied.add(publication);
            count.setRelease(all.size());
            locate(publication);
            askers.forEach(asker -> give(asker.client, asker.correlationId, publication));
            if (askers.isEmpty()) { // all clients have left in the meantime
                publication.addReference();
                publication.removeReference(clock.nanoTime(), false);
            }
            subscriptions.addSource(publication);
            responses.onPublication(publication);
        }

        @Override
        public void onFailure(CommandException failure) {
            end();
            refuse(failure);
        }

        private void add(Client client, long correlationId, ChannelUri asked) {
            if (shown != null) {
                show(client, correlationId, asked, spec, shown);
            }
            shares.take(Share.PUBLICATIONS, client.id(), Shares.weight(channel));
            askers.add(new Asker(client, correlationId, asked));
            owners.put(correlationId, client.id());
            preparing.add(correlationId);
        }

        private void end() {
            preparations.remove(this);
            named.remove(this);
            askers.forEach(asker -> preparing.remove(asker.correlationId));
        }

        /**
         * Shows a requesting client's registration to operators. If that fails, rejects the request
         * and returns false.
         */
        private boolean isShown(Asker asker) {
            try {
                factory.requireCounters(channel, asker.client.id());
                show(asker.client, asker.correlationId, asker.asked, spec, shown);
                return true;
            } catch (BusException e) {
                preparing.remove(asker.correlationId);
                refuse(asker, e);
                return false;
            }
        }

        private void refuse(BusException failure) {
            askers.forEach(asker -> refuse(asker, failure));
        }

        private void refuse(Asker asker, BusException failure) {
            forget(asker.client.id(), asker.correlationId, channel);
            Throwable named = ChannelFailure.of(asker.asked, failure);
            failures.tell(asker.client.id(), asker.correlationId, (RuntimeException) named);
        }

        private void drop(Client client) {
            for (Asker asker : askers) {
                if (asker.client == client) {
                    preparing.remove(asker.correlationId);
                    if (shown != null) {
                        shown.remove(asker.correlationId);
                    }
                    forget(client.id(), asker.correlationId, channel);
                }
            }
            askers.removeIf(asker -> asker.client == client);
        }
    }

    /**
     * Adds a publication, or a reference to a shared publication, for a client. Answers the client
     * once the log exists.
     *
     * @throws BusException if the channel cannot be used.
     */
    void add(Client client, long correlationId, int streamId, boolean exclusive, ChannelUri asked) {
        if (isClosing) {
            throw new BusException(
                    "the driver is closing: add the publication again once a driver is running");
        }
        asked.checkPublishable();
        asked.checkStream(streamId);
        responses.check(client.id(), asked);
        ChannelUri channel = factory.completed(named.placed(asked));
        Publication shared = exclusive ? null : findShared(streamId, channel);
        if (shared != null) {
            shares.require(Share.PUBLICATIONS, client.id(), Shares.weight(shared.named()));
            show(client, correlationId, asked, shared.spec(), shared.shown());
            shares.take(Share.PUBLICATIONS, client.id(), Shares.weight(shared.named()));
            owners.put(correlationId, client.id());
            give(client, correlationId, shared);
            return;
        }
        shares.require(Share.PUBLICATIONS, client.id(), Shares.weight(channel));
        Preparation preparation = exclusive ? null : findPrepared(streamId, channel);
        if (preparation == null) {
            preparation = prepare(client, correlationId, streamId, exclusive, channel);
        }
        preparation.add(client, correlationId, asked);
    }

    private void give(Client client, long correlationId, Publication publication) {
        publication.addReference();
        client.publications().put(correlationId, publication);
        events.publicationReady(correlationId, publication);
    }

    /**
     * Shows a client's publication to operators.
     *
     * @throws BusException if there is no counter left.
     */
    private void show(
            Client client, long correlationId, ChannelUri asked, LogSpec spec, ShownState shown) {
        DriverCounters.Stream of =
                new DriverCounters.Stream(
                        correlationId,
                        client.id(),
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

    private void forget(long clientId, long correlationId, ChannelUri channel) {
        shares.giveBack(Share.PUBLICATIONS, clientId, Shares.weight(channel));
        owners.remove(correlationId);
    }

    /** Returns whether the log of a requested publication is being created. */
    boolean isPreparing(long correlationId) {
        return preparing.contains(correlationId);
    }

    /** Drops the publications that are still being created for a client that has left. */
    void drop(Client client) {
        preparations.forEach(each -> each.drop(client));
    }

    /** Returns whether a registration id belongs to a publication of any client. */
    boolean contains(long registrationId) {
        return logs.contains(registrationId) || owners.containsKey(registrationId);
    }

    /**
     * Returns whether the client has requested the publication with the given registration id, and
     * has not released it.
     */
    boolean isOf(long clientId, long registrationId) {
        return owners.containsKey(registrationId) && owners.get(registrationId) == clientId;
    }

    /**
     * Revokes a publication unless other clients hold it. The stream then ends regardless of its
     * readers' positions.
     */
    void revoke(Client client, Publication publication) {
        long own =
                client.publications().values().stream().filter(each -> each == publication).count();
        if (publication.references() == own) {
            publication.revoke();
            revoked.incrementRelease();
        }
    }

    /** Releases a client's reference to a publication. */
    void release(Client client, long registrationId, boolean hasDied) {
        Publication publication = client.publications().remove(registrationId);
        forget(client.id(), registrationId, publication.named());
        publication.shown().remove(registrationId);
        publication.removeReference(clock.nanoTime(), hasDied);
    }

    private Publication findShared(int streamId, ChannelUri channel) {
        for (Publication publication : all) {
            if (publication.isOpen()
                    && !publication.isExclusive()
                    && NamedPublications.isShared(publication, streamId, channel)) {
                return publication;
            }
        }
        return null;
    }

    private Preparation findPrepared(int streamId, ChannelUri channel) {
        for (Preparation each : preparations) {
            if (each.spec.type() == LogType.CONCURRENT_PUBLICATION
                    && !each.askers.isEmpty()
                    && NamedPublications.isShared(each, streamId, channel)) {
                return each;
            }
        }
        return null;
    }

    private Preparation prepare(
            Client client,
            long registrationId,
            int streamId,
            boolean exclusive,
            ChannelUri channel) {
        named.checkTagFree(channel);
        LogSpec tagged = named.tagged(channel);
        int sessionId = tagged == null ? factory.sessionId(channel) : tagged.sessionId();
        while (named.isSessionTaken(streamId, sessionId, channel)) {
            if (tagged != null || channel.sessionId().isPresent()) {
                throw new CommandException(
                        ErrorCode.INVALID_CHANNEL,
                        "session-id "
                                + sessionId
                                + " is already used by another publication of stream "
                                + streamId
                                + ": choose another session id, or omit session-id");
            }
            sessionId = factory.sessionId(channel);
        }
        LogSpec spec =
                factory.spec(
                        exclusive ? LogType.EXCLUSIVE_PUBLICATION : LogType.CONCURRENT_PUBLICATION,
                        registrationId,
                        sessionId,
                        streamId,
                        channel,
                        tagged);
        Preparation preparation = new Preparation(spec, channel);
        files.publication(spec, client.id(), preparation);
        preparations.add(preparation);
        named.add(preparation);
        return preparation;
    }

    /** Returns a session id that no publication with the given stream id uses on any channel. */
    int nextSessionId(int streamId) {
        int sessionId = factory.nextSessionId();
        while (named.isSessionUsed(streamId, sessionId)) {
            sessionId = factory.nextSessionId();
        }
        return sessionId;
    }

    /**
     * Back-pressures all publishers because the driver is closing. Called at the timer interval
     * while the driver drains, because publications may still be in preparation.
     */
    void hold() {
        isClosing = true;
        all.forEach(Publication::hold);
    }

    /** Ends all streams at their tails because the driver is closing. */
    void endAll(long nowNs) {
        all.forEach(publication -> publication.endForAll(nowNs));
    }

    /**
     * Returns how many of the publications ended by {@link #endAll} are still being sent or read.
     */
    int unfinished() {
        int count = 0;
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isFinished()) {
                count++;
            }
        }
        return count;
    }

    /** Runs the duty cycle; returns the work count. */
    int update(long nowNs) {
        int work = roundRobin.go(this, nowNs);
        if (free != null) {
            free(free, nowNs);
            free = null;
            work++;
        }
        return work;
    }

    @Override
    public int take(Publication publication, long nowNs) {
        int work = publication.update();
        if (publication.isFree()) {
            free = publication;
        }
        return work;
    }

    /**
     * Updates the monitoring counters for publisher positions and local addresses. Called every 100
     * ms.
     */
    void count() {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).count();
            locate(all.get(i));
        }
        responses.watch();
    }

    private void locate(Publication publication) {
        if (publication instanceof NetworkPublication network && !network.status().isBound()) {
            String address = network.localAddress();
            if (address != null) {
                try {
                    network.status().bound(address);
                } catch (BusException e) {
                    errors.onError(ChannelFailure.of(network.named(), e));
                }
            }
        }
    }

    /**
     * Checks for slow subscribers, for claims that were left open, and for released publications
     * that have ended. Called at the timer interval.
     */
    void watch(long nowNs) {
        for (int i = all.size() - 1; i >= 0; i--) {
            Publication publication = all.get(i);
            if (publication.isAcceptedAgain(nowNs)) {
                subscriptions.joinAll(publication);
            }
            try {
                if (publication.isOpen()) {
                    publication.subscribers().watch(nowNs);
                }
                int claims = publication.watch(nowNs);
                if (claims > 0) {
                    unblocked.getAndAddRelease(claims);
                    if (publication.isOpen() && !publication.isAbandoned()) {
                        failures.record(
                                CommandFailures.Kind.OPEN_CLAIM,
                                publication.registrationId(),
                                publication.revokedClaim());
                    }
                }
            } catch (BusException | IndexOutOfBoundsException e) {
                Throwable named = ChannelFailure.of(publication.named(), e);
                fail(publication, named.getMessage());
                errors.onError(named);
            }
        }
    }

    /** Ends the publications whose logs another process has truncated; returns how many. */
    int endTruncated() {
        int count = 0;
        for (int i = 0; i < all.size(); i++) {
            Publication publication = all.get(i);
            LogBuffers log = publication.log();
            if (log.isTruncated()) {
                log.abandon();
                BusException failure =
                        new BusException(
                                "the publication of stream "
                                        + publication.streamId()
                                        + " session "
                                        + publication.sessionId()
                                        + " has ended because a client truncated its log "
                                        + log.file()
                                        + ": close the publication, add it again, and find out"
                                        + " which client writes to that file");
                fail(publication, failure.getMessage());
                errors.onError(failure);
                count++;
            }
        }
        return count;
    }

    /** Ends a publication whose log holds an invalid frame, and notifies its clients. */
    void fail(Publication publication, String reason) {
        publication.fail(reason);
        events.publicationError(
                publication.registrationId(),
                publication.sessionId(),
                publication.streamId(),
                ErrorCode.GENERIC_ERROR,
                reason);
    }

    private void free(Publication publication, long nowNs) {
        all.remove(publication);
        logs.remove(publication.registrationId());
        named.remove(publication);
        roundRobin.remove(publication);
        subscriptions.sources().remove(publication);
        spied.remove(publication);
        responses.onFreed(publication);
        close(publication);
        files.release(publication.log(), nowNs);
        count.setRelease(all.size());
    }

    /** Frees a publication that its transport cannot send and that no client has seen. */
    private void discard(Publication publication) {
        close(publication);
        files.free(publication.log());
    }

    private void close(Publication publication) {
        publication.close();
        if (publication instanceof NetworkPublication network) {
            statuses.leave(network.status());
            network.destinations().clear();
        }
    }
}
