// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.channel.SendStatuses;
import io.verbus.driver.command.ChannelFailure;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.CommandFailures;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.driver.subscription.Subscriptions;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.transport.RoundRobin;

import org.agrona.ErrorHandler;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;

/**
 * Creates, finds and releases the driver's publications. A publication exists from the first
 * command that adds it until its log is released. Used by the conductor's thread.
 */
public final class Publications implements RoundRobin.Turn<Publication> {
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
    private final PublicationHolders holders;
    private final NamedPublications named = new NamedPublications();
    private final List<Publication> all = new ArrayList<>();
    private final List<RequestedPublication> requested = new ArrayList<>();

    /** Registration ids of the existing logs. */
    private final LongHashSet logs = new LongHashSet();

    private final RoundRobin<Publication> roundRobin;

    /** Whether the driver is closing and accepts no more publications. */
    private boolean isClosing;

    /** The publication that was serviced last, if it became free in the process. */
    private Publication free;

    public Publications(
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
            PublicationHolders holders,
            ErrorHandler errors) {
        this.holders = holders;
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
        this.roundRobin = new RoundRobin<>(Subscribable.IDLE_AFTER_NS, clock.nanoTime());
    }

    /**
     * Adds a publication, or a reference to a shared publication, for a client. Answers the client
     * once the log exists.
     *
     * @throws BusException if the channel cannot be used.
     */
    public void add(
            long clientId, long correlationId, int streamId, boolean exclusive, ChannelUri asked) {
        if (isClosing) {
            throw new BusException(
                    "the driver is closing: add the publication again once a driver is running");
        }
        asked.checkPublishable();
        asked.checkStream(streamId);
        responses.check(clientId, asked);
        ChannelUri channel = factory.completed(named.placed(asked));
        Publication shared = exclusive ? null : findShared(streamId, channel);
        if (shared != null) {
            holders.require(clientId, shared.named());
            RequestedPublication.show(
                    clientId, correlationId, asked, shared.spec(), shared.shown());
            holders.request(clientId, correlationId, shared.named());
            give(correlationId, shared);
            return;
        }
        holders.require(clientId, channel);
        RequestedPublication request = exclusive ? null : findRequested(streamId, channel);
        if (request == null) {
            request = request(clientId, correlationId, streamId, exclusive, channel);
        }
        request.add(clientId, correlationId, asked);
    }

    /** Gives a publication to the client that has requested it. */
    void give(long correlationId, Publication publication) {
        holders.hold(correlationId, publication);
        events.publicationReady(
                correlationId,
                publication.log(),
                publication.limit().counterId(),
                publication.channelStatusId());
    }

    /** Handles the end of a request, whether or not it led to a publication. */
    void onRequestEnded(RequestedPublication request) {
        requested.remove(request);
        named.remove(request);
    }

    /** Adds a publication that its transport can send. */
    void add(Publication publication) {
        logs.add(publication.registrationId());
        all.add(publication);
        named.add(publication);
        roundRobin.add(publication);
        spied.add(publication);
        count.setRelease(all.size());
        locate(publication);
    }

    /** Joins the subscribers of a new publication, of which its clients know. */
    void join(Publication publication) {
        if (publication.references() == 0) { // all clients have left in the meantime
            publication.addReference();
            publication.removeReference(clock.nanoTime(), false);
        }
        subscriptions.addSource(publication);
        responses.onPublication(publication);
    }

    /** Drops the publications that are still being created for a client that has left. */
    public void drop(long clientId) {
        requested.forEach(each -> each.drop(clientId));
    }

    /** Returns whether a registration id belongs to a publication of any client. */
    public boolean contains(long registrationId) {
        return logs.contains(registrationId) || holders.contains(registrationId);
    }

    /**
     * Revokes a publication unless other clients hold it. The stream then ends regardless of its
     * readers' positions.
     */
    public void revoke(long clientId, Publication publication) {
        if (holders.isSole(clientId, publication)) {
            publication.revoke();
            revoked.incrementRelease();
        }
    }

    /** Releases a client's reference to a publication, unless the client has released it. */
    public void release(long registrationId, boolean hasDied) {
        Publication publication = holders.forget(registrationId);
        if (publication != null) {
            publication.shown().remove(registrationId);
            publication.removeReference(clock.nanoTime(), hasDied);
        }
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

    private RequestedPublication findRequested(int streamId, ChannelUri channel) {
        for (RequestedPublication each : requested) {
            if (each.spec().type() == LogType.CONCURRENT_PUBLICATION
                    && each.isAwaited()
                    && NamedPublications.isShared(each, streamId, channel)) {
                return each;
            }
        }
        return null;
    }

    private RequestedPublication request(
            long clientId,
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
        RequestedPublication request =
                new RequestedPublication(
                        spec, channel, this, factory, holders, failures, counters, errors);
        files.publication(spec, clientId, request);
        requested.add(request);
        named.add(request);
        return request;
    }

    /** Returns a session id that no publication with the given stream id uses on any channel. */
    public int nextSessionId(int streamId) {
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
    public void hold() {
        isClosing = true;
        all.forEach(Publication::hold);
    }

    /** Ends all streams at their tails because the driver is closing. */
    public void endAll(long nowNs) {
        all.forEach(publication -> publication.endForAll(nowNs));
    }

    /**
     * Returns how many of the publications ended by {@link #endAll} are still being sent or read.
     */
    public int unfinished() {
        int count = 0;
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isFinished()) {
                count++;
            }
        }
        return count;
    }

    /** Runs the duty cycle; returns the work count. */
    public int update(long nowNs) {
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
    public void count() {
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
    public void watch(long nowNs) {
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
    public int endTruncated() {
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
    public void fail(Publication publication, String reason) {
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
    void discard(Publication publication) {
        close(publication);
        discard(publication.log());
    }

    /** Frees the log of a publication that no client requests any longer. */
    void discard(LogBuffers log) {
        files.free(log);
    }

    private void close(Publication publication) {
        publication.close();
        if (publication instanceof NetworkPublication network) {
            statuses.leave(network.status());
            network.destinations().clear();
        }
    }
}
