// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.CounterTypes;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.LogFiles;
import io.verbus.driver.status.DriverCounters;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.transport.Transport;

import org.agrona.concurrent.status.AtomicCounter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Makes publications with their counters and channels, or leaves nothing. Conductor's thread. */
final class PublicationFactory {
    private final DriverConfig config;
    private final Transports transports;
    private final LogFiles files;
    private final DriverCounters counters;
    private final EventEncoder events;
    private static final int FIRST_RESERVED = -1;
    private static final int LAST_RESERVED = 1000;

    private int nextSessionId = ThreadLocalRandom.current().nextInt();

    PublicationFactory(
            DriverConfig config,
            Transports transports,
            LogFiles files,
            DriverCounters counters,
            EventEncoder events) {
        this.config = config;
        this.transports = transports;
        this.files = files;
        this.counters = counters;
        this.events = events;
    }

    /** The session id that the channel asks for, or another one each time. */
    int sessionId(ChannelUri channel) {
        return channel.sessionId().orElseGet(this::nextSessionId);
    }

    /** Another session id each time; none that is reserved for people to choose. */
    int nextSessionId() {
        if (nextSessionId >= FIRST_RESERVED && nextSessionId <= LAST_RESERVED) {
            nextSessionId = LAST_RESERVED + 1;
        }
        return nextSessionId++;
    }

    /**
     * What the log of a publication is to be.
     *
     * @throws BusException if the channel cannot be used.
     */
    LogSpec spec(
            LogType type, long registrationId, int sessionId, int streamId, ChannelUri channel) {
        if (!channel.isIpc()) {
            transports.of(channel);
        }
        return new LogSpec(
                type,
                registrationId,
                sessionId,
                streamId,
                ThreadLocalRandom.current().nextInt(),
                channel.hasTermLength() ? channel.termLength() : config.termLength(),
                channel.mtu(config.mtu()),
                0);
    }

    /**
     * Makes a publication of a log that stands.
     *
     * @param clientId of the client that adds it first.
     * @throws BusException if the channel cannot be used, or counters are exhausted; the log is
     *     freed then.
     */
    Publication create(LogBuffers log, ChannelUri channel, long clientId) {
        LogSpec spec = log.spec();
        Transport transport = channel.isIpc() ? null : transports.of(channel);
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
            if (transport == null) {
                return new IpcPublication(
                        channel,
                        log,
                        limit,
                        position,
                        ipcWindow(channel, spec.termLength()),
                        config,
                        counters,
                        events);
            }
            NetworkPublication publication =
                    new NetworkPublication(
                            channel,
                            log,
                            limit,
                            position,
                            counter(CounterTypes.SENDER_POSITION, "snd-pos", stream, made),
                            counter(CounterTypes.SENDER_LIMIT, "snd-lmt", stream, made),
                            counter(CounterTypes.SENDER_BACK_PRESSURE, "snd-bpe", stream, made),
                            stream,
                            transport,
                            config,
                            counters,
                            events);
            transport.addPublication(publication);
            return publication;
        } catch (BusException e) {
            made.forEach(AtomicCounter::close);
            files.free(log);
            throw e;
        }
    }

    /**
     * Aeron's clients look at the limit before they claim, each thread for itself, and may go past
     * it by a message each: half a term leaves room for many.
     */
    private long ipcWindow(ChannelUri channel, int termLength) {
        // Of the own clients two terms: the word zeroed in the next term is consumed already.
        long most = channel.isAeron() ? termLength / 2 : 2L * termLength;
        return config.ipcWindow() == 0 ? most : Math.min(config.ipcWindow(), most);
    }

    private AtomicCounter counter(
            int typeId, String name, DriverCounters.Stream stream, List<AtomicCounter> made) {
        try {
            AtomicCounter counter = counters.stream(typeId, name, stream);
            made.add(counter);
            return counter;
        } catch (BusException e) {
            throw new CommandException(
                    ErrorCode.RESOURCE_TEMPORARILY_UNAVAILABLE, e.getMessage(), e);
        }
    }
}
