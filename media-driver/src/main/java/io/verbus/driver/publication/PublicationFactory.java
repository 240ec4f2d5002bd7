// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.channel.StreamStart;
import io.verbus.cnc.CounterTypes;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.channel.Carriers;
import io.verbus.driver.channel.ChannelStatusIndicator;
import io.verbus.driver.channel.SendStatuses;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.LatencySamples;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.status.CounterShare;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.PublisherLimit;
import io.verbus.driver.status.ShownState;
import io.verbus.driver.transports.TransportStream;
import io.verbus.driver.transports.Transports;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogNotes;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Creates publications with their counters and channels, and cleans up if that fails. Used by the
 * conductor's thread.
 */
public final class PublicationFactory {
    private static final int FIRST_RESERVED = -1;
    private static final int LAST_RESERVED = 1000;

    /** Number of counters that each publication has: state, position and limit. */
    private static final int COUNTERS = 3;

    /**
     * Number of additional counters for a publication that is sent over a network, excluding those
     * for addresses and carriers.
     */
    private static final int COUNTERS_OF_SENDER = 4;

    private final DriverConfig config;
    private final Transports transports;
    private final LogFiles files;
    private final DriverCounters counters;
    private final EventEncoder events;
    private final SendStatuses statuses;
    private final LatencySamples samples;
    private final NanoClock clock;
    private int nextSessionId = ThreadLocalRandom.current().nextInt();

    public PublicationFactory(
            DriverConfig config,
            Transports transports,
            LogFiles files,
            SendStatuses statuses,
            DriverCounters counters,
            EventEncoder events,
            LatencySamples samples,
            NanoClock clock) {
        this.samples = samples;
        this.clock = clock;
        this.config = config;
        this.transports = transports;
        this.files = files;
        this.statuses = statuses;
        this.counters = counters;
        this.events = events;
    }

    /** Completes a channel with the driver's defaults. */
    ChannelUri completed(ChannelUri channel) {
        return DerivedChannels.withSpiesConnect(channel, config.spiesConnect());
    }

    /** Returns the channel's session id, or a new one. */
    int sessionId(ChannelUri channel) {
        return channel.sessionId().orElseGet(this::nextSessionId);
    }

    /** Returns a new session id outside the range reserved for explicit ids. */
    int nextSessionId() {
        if (nextSessionId >= FIRST_RESERVED && nextSessionId <= LAST_RESERVED) {
            nextSessionId = LAST_RESERVED + 1;
        }
        return nextSessionId++;
    }

    /**
     * Returns the specification of a publication's log.
     *
     * @param tagged specification of the log whose session the channel refers to by tag, which
     *     supplies the lengths that the channel omits; or null.
     * @throws BusException if the channel cannot be used.
     */
    LogSpec spec(
            LogType type,
            long registrationId,
            int sessionId,
            int streamId,
            ChannelUri channel,
            LogSpec tagged) {
        ChannelUri carried = transports.carriers().carried(channel);
        if (!channel.isIpc()) {
            transports.of(carried).outbound();
        }
        int termLength = tagged == null ? config.termLength() : tagged.termLength();
        int mtu = tagged == null ? carried.mtu(config.mtu()) : tagged.mtu();
        if (channel.hasTermLength()) {
            checkTagged("term-length", channel.termLength(), tagged == null ? -1 : termLength);
            termLength = channel.termLength();
        }
        if (channel.hasMtu()) {
            checkTagged("mtu", channel.mtu(), tagged == null ? -1 : mtu);
            mtu = channel.mtu();
        }
        checkWindow(channel, termLength, mtu);
        if (channel.response().isPrototype()) {
            termLength = LogLayout.MIN_TERM_LENGTH; // never written
        }
        StreamStart start = channel.start();
        return new LogSpec(
                type,
                registrationId,
                sessionId,
                streamId,
                start == null ? ThreadLocalRandom.current().nextInt() : start.initialTermId(),
                termLength,
                mtu,
                start == null ? 0 : start.position(termLength));
    }

    private static void checkTagged(String key, int asked, int tagged) {
        if (tagged >= 0 && asked != tagged) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "the channel sets "
                            + key
                            + " "
                            + asked
                            + ", but the publication whose session it uses has "
                            + key
                            + " "
                            + tagged
                            + ": use the same value, or omit "
                            + key);
        }
    }

    private static void checkWindow(ChannelUri channel, int termLength, int mtu) {
        int window = channel.publicationWindow().orElse(mtu);
        if (window < mtu || window > termLength / 2) {
            throw new CommandException(
                    ErrorCode.INVALID_CHANNEL,
                    "channel '"
                            + channel
                            + "' has a pub-wnd of "
                            + window
                            + ": it must be from the mtu "
                            + mtu
                            + " to half the term length, "
                            + termLength / 2);
        }
    }

    /**
     * Checks that enough counters are available for a publication. A rejection halfway through
     * would free counters that cannot be reused for a while, so retries might never find enough.
     *
     * @throws BusException if there are too few counters.
     */
    void requireCounters(ChannelUri channel, long clientId) {
        int count = channel.isIpc() ? COUNTERS : COUNTERS + COUNTERS_OF_SENDER;
        counters.manager().require(CounterShare.CLIENTS, clientId, count);
    }

    /**
     * Creates a publication for an existing log.
     *
     * @param clientId first client that adds the publication.
     * @param shown state shown to operators; closed together with the publication.
     * @throws BusException if the channel cannot be used, or counters are exhausted; the log is
     *     then freed.
     */
    Publication create(LogBuffers log, ChannelUri channel, long clientId, ShownState shown) {
        LogSpec spec = log.spec();
        note(log.metadata(), channel);
        config.untethered().of(channel).note(log.metadata());
        DriverCounters.Stream stream =
                new DriverCounters.Stream(
                        spec.registrationId(),
                        clientId,
                        spec.sessionId(),
                        spec.streamId(),
                        channel.toString());
        List<AtomicCounter> made = new ArrayList<>();
        try {
            AtomicCounter position =
                    counter(
                            CounterTypes.PUBLISHER_POSITION,
                            spec.type() == LogType.EXCLUSIVE_PUBLICATION
                                    ? "pub-pos (exclusive)"
                                    : "pub-pos (concurrent)",
                            stream,
                            made);
            PublisherLimit limit =
                    new PublisherLimit(
                            counter(CounterTypes.PUBLISHER_LIMIT, "pub-lmt", stream, made));
            limit.raise(spec.position());
            if (channel.isIpc()) {
                long window = ipcWindow(channel, spec.termLength());
                log.metadata().putInt(LogNotes.PUBLICATION_WINDOW, (int) window);
                return new IpcPublication(
                        channel, log, limit, position, shown, window, config, counters, events,
                        samples, clock);
            }
            return createNetwork(log, channel, limit, position, shown, stream, made);
        } catch (BusException e) {
            made.forEach(AtomicCounter::close);
            shown.close();
            files.free(log);
            throw e;
        }
    }

    private static void note(UnsafeBuffer metadata, ChannelUri channel) {
        channel.tags()
                .publication()
                .ifPresent(tag -> metadata.putLong(LogNotes.PUBLICATION_TAG, tag));
        metadata.putLong(LogNotes.RESPONSE_ID, channel.response().correlationId());
        LogNotes.note(metadata, LogNotes.TELLS_END, channel.tellsEnd());
        LogNotes.note(metadata, LogNotes.SPIES_CONNECT, channel.spiesConnect());
    }

    private NetworkPublication createNetwork(
            LogBuffers log,
            ChannelUri channel,
            PublisherLimit limit,
            AtomicCounter position,
            ShownState shown,
            DriverCounters.Stream stream,
            List<AtomicCounter> made) {
        AtomicCounter senderPosition =
                counter(CounterTypes.SENDER_POSITION, "snd-pos", stream, made);
        AtomicCounter senderLimit = counter(CounterTypes.SENDER_LIMIT, "snd-lmt", stream, made);
        AtomicCounter backPressure =
                counter(CounterTypes.SENDER_BACK_PRESSURE, "snd-bpe", stream, made);
        AtomicCounter naks =
                counter(CounterTypes.SENDER_NAKS_RECEIVED, "snd-naks-received", stream, made);
        ChannelStatusIndicator status = statuses.enter(stream.registration(), channel);
        try {
            NetworkPublication publication =
                    new NetworkPublication(
                            channel,
                            log,
                            limit,
                            position,
                            shown,
                            senderPosition,
                            senderLimit,
                            backPressure,
                            naks,
                            stream,
                            status,
                            config,
                            counters,
                            events);
            begin(publication, stream, made);
            return publication;
        } catch (BusException e) {
            statuses.leave(status);
            throw e;
        }
    }

    private void begin(
            NetworkPublication publication,
            DriverCounters.Stream stream,
            List<AtomicCounter> made) {
        Carriers carriers = transports.carriers();
        ChannelUri named = publication.named();
        if (!named.isManual()) {
            ChannelUri carried = carriers.carried(named);
            TransportStream sent =
                    new TransportStream(
                            publication,
                            publication.streams(),
                            transports.of(carried).outbound(),
                            carried);
            if (!carried.media().equals(named.media())) {
                AtomicCounter carrier =
                        counters.carrier(CounterShare.CLIENTS, stream, carried.media());
                made.add(carrier);
                sent.carrier(carrier);
            }
            publication.begin(sent);
        } else if (!carriers.isUndecided(named)) {
            publication.destinations().begin(carriers.media(named), transports);
        }
    }

    /**
     * Returns the window of an IPC publication. Each thread of an Aeron client checks the limit
     * before claiming, so each thread may exceed the limit by one message. A window of half a term
     * leaves room for many threads.
     */
    private long ipcWindow(ChannelUri channel, int termLength) {
        // Verbus clients may use two terms, because the word that they zero in the next term has
        // been consumed.
        long most = channel.isAeron() ? termLength / 2 : 2L * termLength;
        long asked = channel.publicationWindow().orElse(config.ipcWindow());
        return asked == 0 ? most : Math.min(asked, most);
    }

    private AtomicCounter counter(
            int typeId, String name, DriverCounters.Stream stream, List<AtomicCounter> made) {
        AtomicCounter counter = counters.stream(typeId, name, stream);
        made.add(counter);
        return counter;
    }
}
