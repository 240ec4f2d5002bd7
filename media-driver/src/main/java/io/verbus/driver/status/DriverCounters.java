// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.RegistrationState;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.share.Shares;
import io.verbus.release.Release;

import org.agrona.SystemUtil;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.Position;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Allocates the counters for operators, with the keys and labels described in {@link CounterTypes}.
 * Used by the conductor's thread; the writer of a counter's value depends on the counter.
 */
public final class DriverCounters {
    /** Number of the counter whose label describes the driver's build, and whose value is 1. */
    public static final int BUILD = 901;

    /** Prefix of the name of a {@link CounterTypes#CARRIER}; the media follows. */
    private static final String CARRIED_BY = "carried by ";

    /** Minimum time before a freed counter is reused. */
    private static final long MIN_COOLING_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int SESSION_ID = Long.BYTES;
    private static final int STREAM_ID = SESSION_ID + Integer.BYTES;
    private static final int CHANNEL_LENGTH = STREAM_ID + Integer.BYTES;

    /** Maximum number of characters of an address in a key. */
    private static final int MAX_ADDRESS = 54;

    /** Maximum number of characters of a join position at the end of a label. */
    private static final int MAX_JOIN = 22;

    private final DriverCountersManager counters;
    private final UnsafeBuffer values;
    private final AtomicCounter[] system;
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);

    /**
     * Identifies the stream that a counter belongs to.
     *
     * @param registrationId registration id of the publication or subscription, or image id.
     * @param ownerId client that added the registration.
     * @param sessionId session id of the stream.
     * @param streamId stream id.
     * @param channel channel with which the registration was added.
     */
    public record Stream(
            long registrationId, long ownerId, int sessionId, int streamId, String channel) {

        /** Returns the registration and the client, without the stream. */
        public Registration registration() {
            return new Registration(registrationId, ownerId);
        }
    }

    /**
     * A registration of a client.
     *
     * @param id registration id of the publication or subscription.
     * @param clientId client that added the registration.
     */
    public record Registration(long id, long clientId) {}

    /**
     * @param shares shares of the clients.
     */
    public DriverCounters(CncFile cnc, EpochClock clock, Shares shares) {
        values = cnc.counterValues();
        counters =
                new DriverCountersManager(
                        cnc.counterMetadata(),
                        values,
                        clock,
                        Math.max(MIN_COOLING_NS, 2 * cnc.spec().clientLivenessTimeoutNs()),
                        shares);
        SystemCounter[] all = SystemCounter.values();
        system = new AtomicCounter[all.length];
        for (SystemCounter counter : all) {
            system[counter.ordinal()] =
                    counters.newCounter(
                            counter.label(),
                            counter.typeId(),
                            buffer -> buffer.putInt(0, counter.number()));
            belongs(counter.ordinal(), counter.number(), DriverCountersManager.NO_OWNER);
        }
        system(SystemCounter.AERON_VERSION).setRelease(SystemCounter.AERON_VERSION_VALUE);
        system(SystemCounter.CONTROL_PROTOCOL_VERSION)
                .setRelease(SystemCounter.CONTROL_PROTOCOL_VERSION_VALUE);
        String build = "driver build: " + Release.CURRENT.text() + " jdk=" + Release.jdk();
        ofDriver(BUILD, build).setRelease(1);
    }

    public AtomicCounter system(SystemCounter counter) {
        return system[counter.ordinal()];
    }

    /** Returns a counter for durations above a threshold, and shows the threshold in its label. */
    public AtomicCounter exceeded(SystemCounter counter, long thresholdNs) {
        return system(counter)
                .appendToLabel(": threshold=" + SystemUtil.formatDuration(thresholdNs));
    }

    /** Returns the manager, for code that decides when a freed counter is reusable. */
    public DriverCountersManager manager() {
        return counters;
    }

    /**
     * Allocates a stream counter that the driver writes.
     *
     * @param name start of the label: what the counter shows.
     * @throws BusException if there is none left.
     */
    public AtomicCounter stream(int typeId, String name, Stream stream) {
        boolean isImages =
                typeId == CounterTypes.RECEIVER_POSITION
                        || typeId == CounterTypes.RECEIVER_HIGH_WATER
                        || typeId == CounterTypes.RECEIVER_NAKS_SENT;
        return stream(isImages ? CounterShare.IMAGES : CounterShare.CLIENTS, typeId, name, stream);
    }

    private AtomicCounter stream(CounterShare share, int typeId, String name, Stream stream) {
        return stream(share, typeId, name, stream.channel, stream);
    }

    /**
     * Allocates a counter for a registration's state.
     *
     * @param name start of the label, without a space.
     * @param stream registration, client and stream; a long channel is truncated in the label.
     * @param streamId registration id of the stream.
     * @throws BusException if there is none left.
     */
    AtomicCounter registration(int typeId, String name, Stream stream, long streamId) {
        Stream shown =
                new Stream(
                        stream.registrationId,
                        stream.ownerId,
                        stream.sessionId,
                        stream.streamId,
                        cut(stream.channel, RegistrationState.MAX_CHANNEL));
        AtomicCounter counter = stream(CounterShare.CLIENTS, typeId, name, shown);
        counters.setCounterReferenceId(counter.id(), streamId);
        return counter;
    }

    /**
     * Allocates a counter for a publication's destination.
     *
     * @param name start of the label: what the counter shows; the destination is appended.
     * @param destination host and port, stored in the key's channel field.
     * @throws BusException if there is none left.
     */
    public AtomicCounter destination(int typeId, String name, String destination, Stream stream) {
        String full = name + " " + destination;
        return stream(CounterShare.CLIENTS, typeId, full, destination, stream);
    }

    /**
     * Allocates a counter for one of an image's sources.
     *
     * @param name start of the label: what the counter shows; the destination is appended.
     * @param destination host and port of the destination at which the source arrives.
     * @throws BusException if there is none left.
     */
    AtomicCounter source(int typeId, String name, String destination, Stream image) {
        String full = name + " " + destination;
        return stream(CounterShare.IMAGES, typeId, full, destination, image);
    }

    private AtomicCounter stream(
            CounterShare share, int typeId, String name, String text, Stream stream) {
        int keyLength = putKey(stream, text);
        // Peers cause images, so the counters count in the peers' share.
        long payer = share == CounterShare.CLIENTS ? stream.ownerId : Shares.NOBODY;
        AtomicCounter counter =
                allocate(
                        share,
                        DriverCountersManager.NO_OWNER,
                        payer,
                        typeId,
                        keyLength,
                        label(name, stream));
        belongs(counter.id(), stream.registrationId, stream.ownerId);
        return counter;
    }

    /**
     * Allocates a counter that shows the carrier of a stream whose channel does not determine it.
     *
     * @param share share to take the counter from.
     * @param stream stream of a publication or image.
     * @param media media of the transport.
     * @throws BusException if there is none left.
     */
    public AtomicCounter carrier(CounterShare share, Stream stream, String media) {
        AtomicCounter counter =
                stream(share, CounterTypes.CARRIER, CARRIED_BY + media, media, stream);
        counter.setRelease(1);
        return counter;
    }

    /**
     * Allocates a counter with a channel as its key.
     *
     * @param name start of the label: what the counter shows.
     * @param of registration and client to which the channel belongs.
     * @throws BusException if there is none left.
     */
    public AtomicCounter channel(int typeId, String name, Registration of, String channel) {
        AtomicCounter counter =
                allocate(
                        CounterShare.CLIENTS,
                        DriverCountersManager.NO_OWNER,
                        of.clientId,
                        typeId,
                        putText(0, channel),
                        name + ": " + channel + " ");
        belongs(counter.id(), of.id, 0);
        return counter;
    }

    /**
     * Allocates a counter for a local address; the key contains the address.
     *
     * @param name start of the label: what the counter shows.
     * @param of registration and client to which the address belongs.
     * @param statusId id of the status counter of the address's channel.
     * @param address host and port.
     * @throws BusException if there is none left.
     */
    public AtomicCounter localAddress(String name, Registration of, int statusId, String address) {
        key.putInt(0, statusId);
        int length = Math.min(address.length(), MAX_ADDRESS);
        key.putInt(Integer.BYTES, length);
        key.putStringWithoutLengthAscii(2 * Integer.BYTES, address, 0, length);
        AtomicCounter counter =
                allocate(
                        CounterShare.CLIENTS,
                        DriverCountersManager.NO_OWNER,
                        of.clientId,
                        CounterTypes.LOCAL_ADDRESS,
                        2 * Integer.BYTES + length,
                        name + ": " + statusId + " " + address);
        belongs(counter.id(), of.id, DriverCountersManager.NO_OWNER);
        return counter;
    }

    /** Returns the clients' shares, in which the counters count. */
    public Shares shares() {
        return counters.shares();
    }

    /** Replaces a label; truncates the new one to the available space. */
    public void label(AtomicCounter counter, String text) {
        counters.setCounterLabel(counter.id(), text);
    }

    /**
     * Allocates the counter that a subscriber writes its position to. {@link #joined} completes its
     * label.
     *
     * @param share share to take the counter from.
     * @param stream stream with the subscription's registration id, and its client as owner.
     * @param sourceId id of the image or publication.
     * @throws BusException if there is none left.
     */
    public Position position(CounterShare share, Stream stream, long sourceId) {
        int id =
                allocate(
                                share,
                                stream.ownerId,
                                stream.ownerId,
                                CounterTypes.SUBSCRIBER_POSITION,
                                putKey(stream, stream.channel),
                                positionLabel(stream))
                        .id();
        belongs(id, stream.registrationId, stream.ownerId);
        counters.setCounterReferenceId(id, sourceId);
        return new UnsafeBufferPosition(values, id, counters);
    }

    /** Appends the join position to a subscriber's label. */
    public void joined(Position position, long joinPosition) {
        counters.appendToLabel(position.id(), " @" + joinPosition);
    }

    /**
     * Marks the counter of a detached subscriber: the reference id becomes negative, and the label
     * ends with the subscriber's state.
     *
     * @param sourceId id of the source that the subscriber has read.
     * @param state one word for the subscriber's state.
     */
    public void letGo(Position position, Stream stream, long sourceId, String state) {
        counters.setCounterReferenceId(position.id(), -sourceId);
        relabel(position, stream, " " + state);
    }

    /** Marks the counter of a rejoined subscriber, whose position is already set. */
    public void rejoined(Position position, Stream stream, long sourceId, long joinPosition) {
        relabel(position, stream, " @" + joinPosition);
        VarHandle.releaseFence(); // readers that see the reference must see the position
        counters.setCounterReferenceId(position.id(), sourceId);
    }

    private void relabel(Position position, Stream stream, String end) {
        counters.setCounterLabel(position.id(), positionLabel(stream) + end);
    }

    private static String positionLabel(Stream stream) {
        return cut(label("sub-pos", stream), CountersReader.MAX_LABEL_LENGTH - MAX_JOIN);
    }

    /**
     * Allocates the heartbeat counter of a client.
     *
     * @throws BusException if there is none left.
     */
    public AtomicCounter client(long clientId) {
        key.putLong(0, clientId);
        AtomicCounter counter =
                allocate(
                        CounterShare.CLIENTS,
                        clientId,
                        clientId,
                        CounterTypes.CLIENT_HEARTBEAT,
                        Long.BYTES,
                        "client-heartbeat: id=" + clientId);
        belongs(counter.id(), clientId, clientId);
        return counter;
    }

    /**
     * Allocates a counter for the whole driver, or for one of its transports.
     *
     * @param number number in the key that identifies the metric.
     * @throws BusException if there is none left.
     */
    public AtomicCounter ofDriver(int number, String label) {
        key.putInt(0, number);
        return whole(CounterShare.CLIENTS, CounterTypes.DRIVER, Integer.BYTES, 0, label);
    }

    /**
     * Allocates a counter for a transport's connection, or for an image received over it.
     *
     * @throws BusException if there is none left.
     */
    public AtomicCounter connection(ConnectionCounter counter, ConnectionKey of, String label) {
        of.putTo(key, counter);
        return whole(
                CounterShare.CONNECTIONS,
                CounterTypes.CONNECTION,
                ConnectionKey.LENGTH,
                of.registrationId(),
                label);
    }

    /**
     * Allocates a counter for the state of an RDMA device's port.
     *
     * @throws BusException if there is none left.
     */
    public AtomicCounter device(String device, int port) {
        key.putInt(0, port);
        int keyLength = putText(Integer.BYTES, device);
        String label = "rdma device: " + device + " port " + port;
        return whole(CounterShare.CLIENTS, CounterTypes.DEVICE, keyLength, 0, label);
    }

    private AtomicCounter whole(
            CounterShare share, int typeId, int keyLength, long registrationId, String label) {
        AtomicCounter counter =
                allocate(
                        share,
                        DriverCountersManager.NO_OWNER,
                        Shares.NOBODY,
                        typeId,
                        keyLength,
                        label);
        belongs(counter.id(), registrationId, DriverCountersManager.NO_OWNER);
        return counter;
    }

    private void belongs(int id, long registrationId, long ownerId) {
        counters.setCounterRegistrationId(id, registrationId);
        counters.setCounterOwnerId(id, ownerId);
    }

    private int putKey(Stream stream, String text) {
        key.putLong(0, stream.registrationId);
        key.putInt(SESSION_ID, stream.sessionId);
        key.putInt(STREAM_ID, stream.streamId);
        return putText(CHANNEL_LENGTH, text);
    }

    private int putText(int at, String text) {
        int length = Math.min(text.length(), key.capacity() - at - Integer.BYTES);
        key.putInt(at, length);
        key.putStringWithoutLengthAscii(at + Integer.BYTES, text, 0, length);
        return at + Integer.BYTES + length;
    }

    private static String label(String name, Stream stream) {
        return name
                + ": "
                + stream.registrationId
                + " "
                + stream.sessionId
                + " "
                + stream.streamId
                + " "
                + stream.channel;
    }

    private static String cut(String label, int length) {
        return label.length() > length ? label.substring(0, length) : label;
    }

    private AtomicCounter allocate(
            CounterShare share, long owner, long payer, int typeId, int keyLength, String label) {
        byte[] bytes =
                cut(label, CountersReader.MAX_LABEL_LENGTH).getBytes(StandardCharsets.US_ASCII);
        return counters.allocate(
                share, owner, payer, typeId, key, keyLength, new UnsafeBuffer(bytes));
    }
}
