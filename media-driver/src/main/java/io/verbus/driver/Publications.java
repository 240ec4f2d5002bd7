// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.files.LogReceiver;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.transport.RoundRobin;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Publications, from the first client that adds one to the release of its log. Conductor's. */
final class Publications implements RoundRobin.Turn<Publication> {
    private final PublicationFactory factory;
    private final Subscriptions subscriptions;
    private final LogFiles files;
    private final EventEncoder events;
    private final ErrorHandler errors;
    private final SpiedPublications spied;
    private final DriverClock clock;
    private final AtomicCounter count;
    private final AtomicCounter unblocked;
    private final CommandFailures failures;
    private final List<Publication> all = new ArrayList<>();
    private final List<Preparation> preparations = new ArrayList<>();
    private final RoundRobin<Publication> roundRobin;

    /** One that its last turn found free. */
    private Publication free;

    Publications(
            PublicationFactory factory,
            Subscriptions subscriptions,
            LogFiles files,
            EventEncoder events,
            SpiedPublications spied,
            CommandFailures failures,
            DriverCounters counters,
            DriverClock clock,
            ErrorHandler errors) {
        this.factory = factory;
        this.subscriptions = subscriptions;
        this.files = files;
        this.events = events;
        this.spied = spied;
        this.clock = clock;
        this.errors = errors;
        this.failures = failures;
        this.count = counters.system(SystemCounter.PUBLICATIONS);
        this.unblocked = counters.system(SystemCounter.UNBLOCKED);
        this.roundRobin = new RoundRobin<>(Conductor.IDLE_AFTER_NS, clock.nanoTime());
    }

    /** A client that wants a publication, and with which command it asked. */
    private record Asker(Client client, long correlationId) {}

    /** A publication whose log is being made, and the commands that wait for it. */
    private final class Preparation implements LogReceiver {
        private final LogSpec spec;
        private final ChannelUri channel;
        private final List<Asker> askers = new ArrayList<>();

        private Preparation(LogSpec spec, ChannelUri channel) {
            this.spec = spec;
            this.channel = channel;
        }

        @Override
        public void onLog(LogBuffers log) {
            preparations.remove(this);
            if (askers.isEmpty()) {
                files.free(log); // all have gone meanwhile
                return;
            }
            Publication publication;
            try {
                publication = factory.create(log, channel, askers.getFirst().client.id());
            } catch (BusException e) {
                askers.forEach(asker -> failures.tell(asker.correlationId, e));
                return;
            }
            all.add(publication);
            roundRobin.add(publication);
            spied.add(publication);
            count.setRelease(all.size());
            askers.forEach(asker -> give(asker.client, asker.correlationId, publication));
            subscriptions.addSource(publication);
        }

        @Override
        public void onFailure(CommandException failure) {
            preparations.remove(this);
            askers.forEach(asker -> failures.tell(asker.correlationId, failure));
        }
    }

    /**
     * Adds a publication for a client, or its hold on one that is shared, and tells it when the log
     * stands.
     *
     * @throws BusException if the channel cannot be used.
     */
    void add(
            Client client,
            long correlationId,
            int streamId,
            boolean exclusive,
            ChannelUri channel) {
        channel.checkPublishable();
        Publication shared = exclusive ? null : findShared(streamId, channel);
        if (shared != null) {
            give(client, correlationId, shared);
            return;
        }
        Preparation preparation = exclusive ? null : findPrepared(streamId, channel);
        if (preparation == null) {
            preparation = prepare(client, correlationId, streamId, exclusive, channel);
        }
        preparation.askers.add(new Asker(client, correlationId));
    }

    private void give(Client client, long correlationId, Publication publication) {
        publication.addReference();
        client.publications().add(new Client.Hold(correlationId, publication));
        events.publicationReady(correlationId, publication);
    }

    /** Whether the log of a publication that a client has asked for is being made. */
    boolean isPreparing(long correlationId) {
        for (Preparation preparation : preparations) {
            for (Asker asker : preparation.askers) {
                if (asker.correlationId == correlationId) {
                    return true;
                }
            }
        }
        return false;
    }

    /** A client has gone: what is made for it alone is undone when it stands. */
    void drop(Client client) {
        preparations.forEach(each -> each.askers.removeIf(asker -> asker.client == client));
    }

    boolean contains(long registrationId) {
        for (Publication publication : all) {
            if (publication.registrationId() == registrationId) {
                return true;
            }
        }
        return isPreparing(registrationId);
    }

    /** A client lets go of a publication. */
    void release(Publication publication, boolean hasDied) {
        publication.removeReference(clock.nanoTime(), hasDied);
    }

    private Publication findShared(int streamId, ChannelUri channel) {
        for (Publication publication : all) {
            if (publication.isOpen()
                    && !publication.isExclusive()
                    && isShared(
                            publication.log().spec(), publication.channel(), streamId, channel)) {
                return publication;
            }
        }
        return null;
    }

    private Preparation findPrepared(int streamId, ChannelUri channel) {
        for (Preparation each : preparations) {
            if (each.spec.type() == LogType.CONCURRENT_PUBLICATION
                    && !each.askers.isEmpty()
                    && isShared(each.spec, each.channel, streamId, channel)) {
                return each;
            }
        }
        return null;
    }

    private static boolean isShared(
            LogSpec spec, ChannelUri existing, int streamId, ChannelUri channel) {
        if (channel.isManual()
                || !isSameStream(spec, existing, streamId, channel)
                || channel.sessionId().orElse(spec.sessionId()) != spec.sessionId()) {
            return false;
        }
        checkSameLog(spec, channel);
        checkSameFabric(existing, channel);
        return true;
    }

    private static boolean isSameStream(
            LogSpec spec, ChannelUri existing, int streamId, ChannelUri channel) {
        return spec.streamId() == streamId
                && SamePlace.of(existing, channel)
                && Objects.equals(existing.interfaceAddress(), channel.interfaceAddress());
    }

    private static void checkSameLog(LogSpec spec, ChannelUri channel) {
        if (channel.hasTermLength() && channel.termLength() != spec.termLength()) {
            throw differs("term-length", channel.termLength(), spec.termLength());
        }
        if (channel.hasMtu() && channel.mtu() != spec.mtu()) {
            throw differs("mtu", channel.mtu(), spec.mtu());
        }
    }

    private static void checkSameFabric(ChannelUri existing, ChannelUri channel) {
        if (!channel.fabric().isWithin(existing.fabric())) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "channel '"
                            + channel
                            + "' asks of the fabric what '"
                            + existing
                            + "' has not, whose publication it would share: ask for the same");
        }
    }

    private static CommandException differs(String key, int asked, int existing) {
        return new CommandException(
                ErrorCode.INVALID_CHANNEL,
                "the channel asks for "
                        + key
                        + " "
                        + asked
                        + ", but the publication of this stream that is shared has "
                        + existing
                        + ": ask for the same, or add an exclusive publication");
    }

    private Preparation prepare(
            Client client,
            long registrationId,
            int streamId,
            boolean exclusive,
            ChannelUri channel) {
        int sessionId = factory.sessionId(channel);
        while (isSessionTaken(streamId, sessionId, channel)) {
            if (channel.sessionId().isPresent()) {
                throw new CommandException(
                        ErrorCode.INVALID_CHANNEL,
                        "session-id "
                                + sessionId
                                + " is taken by another publication of stream "
                                + streamId
                                + ": choose another, or none");
            }
            sessionId = factory.sessionId(channel);
        }
        LogSpec spec =
                factory.spec(
                        exclusive ? LogType.EXCLUSIVE_PUBLICATION : LogType.CONCURRENT_PUBLICATION,
                        registrationId,
                        sessionId,
                        streamId,
                        channel);
        Preparation preparation = new Preparation(spec, channel);
        preparations.add(preparation);
        files.publication(spec, client.id(), preparation);
        return preparation;
    }

    /** A session id that no publication of the stream has, on whichever channel. */
    int nextSessionId(int streamId) {
        int sessionId = factory.nextSessionId();
        while (isUsed(streamId, sessionId)) {
            sessionId = factory.nextSessionId();
        }
        return sessionId;
    }

    private boolean isUsed(int streamId, int sessionId) {
        for (Publication publication : all) {
            if (publication.streamId() == streamId && publication.sessionId() == sessionId) {
                return true;
            }
        }
        for (Preparation each : preparations) {
            if (each.spec.streamId() == streamId && each.spec.sessionId() == sessionId) {
                return true;
            }
        }
        return false;
    }

    private boolean isSessionTaken(int streamId, int sessionId, ChannelUri channel) {
        for (Publication publication : all) {
            LogSpec spec = publication.log().spec();
            if (spec.sessionId() == sessionId
                    && isSameStream(spec, publication.channel(), streamId, channel)) {
                return true;
            }
        }
        for (Preparation each : preparations) {
            if (each.spec.sessionId() == sessionId
                    && isSameStream(each.spec, each.channel, streamId, channel)) {
                return true;
            }
        }
        return false;
    }

    /** Every cycle. Returns the amount of work done. */
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

    /** At a slow pace: tells operators how far publications were appended to. */
    void count() {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).count();
        }
    }

    /** At a slow pace: claims that stay open, and the end of publications that were let go. */
    void watch(long nowNs) {
        for (int i = all.size() - 1; i >= 0; i--) {
            Publication publication = all.get(i);
            try {
                int claims = publication.watch(nowNs);
                if (claims > 0) {
                    unblocked.getAndAddRelease(claims);
                }
            } catch (BusException | IndexOutOfBoundsException e) {
                fail(publication, e.getMessage());
                errors.onError(e);
            }
        }
    }

    /** A publication's log holds what no appender writes: ends it, and tells its clients. */
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
        roundRobin.remove(publication);
        subscriptions.removeSource(publication);
        spied.remove(publication);
        publication.close();
        files.release(publication.log(), nowNs);
        count.setRelease(all.size());
    }
}
