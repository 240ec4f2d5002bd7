// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.RegistrationState;
import io.verbus.driver.metrics.CounterKeys;
import io.verbus.driver.metrics.ReadCounters;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A driver's clients with their publications and subscriptions, read from its shared memory, even
 * after the driver has died.
 */
final class ClientStates {
    /** Client id of a publication that its clients have released. */
    static final long NO_CLIENT = -1;

    /** Process id of a client that does not report it. */
    static final long UNKNOWN_PID = 0;

    private static final Pattern CLIENT =
            Pattern.compile(
                    " name=(?<name>.*?)(?: version=(?<version>\\S*) commit=\\S*"
                            + "(?: pid=(?<pid>\\d{1,10}))?)?$");

    /**
     * A client.
     *
     * @param id id of the client.
     * @param name name that the client has given itself; may be empty.
     * @param pid process id of the client; {@link #UNKNOWN_PID} for Aeron's clients.
     * @param version release of the client; empty if unknown.
     * @param silentMs milliseconds between the client's last sign of life and the driver's.
     */
    record Client(long id, String name, long pid, String version, long silentMs) {}

    /**
     * A publication or subscription of a client.
     *
     * @param isSubscription whether the registration is a subscription.
     * @param registrationId registration id.
     * @param clientId client; {@link #NO_CLIENT} for a publication that its clients have released.
     * @param streamId stream id.
     * @param sessionId session id; for a subscription, the session id in its channel, or 0.
     * @param sourceId registration id of the publication's log.
     * @param carrier carrier: {@code ipc}, {@code spy}, the transport's media, or {@code sources}
     *     for a subscription with destinations.
     * @param channel channel as the client wrote it; truncated if long.
     * @param state state of the registration.
     * @param reason driver's explanation why the stream is not connected; may be empty.
     */
    record Registered(
            boolean isSubscription,
            long registrationId,
            long clientId,
            int streamId,
            int sessionId,
            long sourceId,
            String carrier,
            String channel,
            RegistrationState state,
            String reason) {
        private static final Comparator<Registered> ORDER =
                Comparator.comparingLong(Registered::clientId)
                        .thenComparing(Registered::isSubscription)
                        .thenComparingInt(Registered::streamId)
                        .thenComparingLong(Registered::registrationId);
    }

    /**
     * A subscriber of an image or publication.
     *
     * @param registrationId registration id of the subscription.
     * @param isDetached whether the subscriber is untethered and detached.
     * @param label label of the position counter.
     */
    record Reader(long registrationId, boolean isDetached, String label) {}

    /** An image at an endpoint, with the channel of its first subscription. */
    record Arriving(int streamId, int sessionId, String channel) {}

    /** A destination of a publication. */
    record Destination(long registrationId, String address, boolean isConnected) {}

    private final List<Client> clients = new ArrayList<>();
    private final List<Registered> registered = new ArrayList<>();
    private final List<Reader> readers = new ArrayList<>();
    private final List<Arriving> arriving = new ArrayList<>();
    private final List<Destination> destinations = new ArrayList<>();
    private final Long2ObjectHashMap<StreamStatus> streams = new Long2ObjectHashMap<>();
    private final long driverMs;

    /** Reads the shared memory of a driver. */
    ClientStates(CncFile cnc) {
        ReadCounters counters = new ReadCounters(cnc);
        StreamStatus.read(counters).forEach(each -> streams.put(each.registrationId(), each));
        StreamCarriers carriers = new StreamCarriers(counters);
        driverMs = lastSign(cnc, counters);
        counters.forEach((id, type, key, label) -> take(counters, carriers, id, type, key, label));
        addReleased();
        clients.sort(Comparator.comparingLong(Client::id));
        registered.sort(Registered.ORDER);
    }

    /**
     * Returns the time of the driver's last heartbeat, or of the last client heartbeat if that is
     * later.
     */
    private static long lastSign(CncFile cnc, ReadCounters counters) {
        long[] last = {new ManyToOneRingBuffer(cnc.toDriver()).consumerHeartbeatTime()};
        counters.forEach(
                (id, type, key) -> {
                    if (type == CounterTypes.CLIENT_HEARTBEAT) {
                        last[0] = Math.max(last[0], counters.values().getCounterValue(id));
                    }
                });
        return last[0];
    }

    private void take(
            ReadCounters counters,
            StreamCarriers carriers,
            int id,
            int type,
            DirectBuffer key,
            String label) {
        long value = counters.values().getCounterValue(id);
        long reference = counters.values().getCounterReferenceId(id);
        switch (type) {
            case CounterTypes.CLIENT_HEARTBEAT ->
                    clients.add(client(CounterKeys.registrationId(key), value, label));
            case CounterTypes.PUBLICATION_STATE, CounterTypes.SUBSCRIPTION_STATE -> {
                boolean isSubscription = type == CounterTypes.SUBSCRIPTION_STATE;
                RegistrationState.Label parts = RegistrationState.parse(label);
                String carrier =
                        isSubscription
                                ? parts.media()
                                : carriers.of(
                                        CounterTypes.PUBLISHER_POSITION,
                                        reference,
                                        " " + parts.channel());
                registered.add(
                        new Registered(
                                isSubscription,
                                CounterKeys.registrationId(key),
                                counters.values().getCounterOwnerId(id),
                                CounterKeys.streamId(key),
                                CounterKeys.sessionId(key),
                                reference,
                                carrier,
                                parts.channel(),
                                RegistrationState.of(value),
                                parts.reason()));
            }
            case CounterTypes.SUBSCRIBER_POSITION ->
                    readers.add(new Reader(CounterKeys.registrationId(key), reference < 0, label));
            case CounterTypes.RECEIVER_POSITION ->
                    arriving.add(
                            new Arriving(
                                    CounterKeys.streamId(key),
                                    CounterKeys.sessionId(key),
                                    CounterKeys.streamText(key)));
            case CounterTypes.DESTINATION_CONNECTED ->
                    destinations.add(
                            new Destination(
                                    CounterKeys.registrationId(key),
                                    CounterKeys.streamText(key),
                                    value != 0));
            default -> {
                // Other counters do not concern clients.
            }
        }
    }

    private Client client(long id, long lastMs, String label) {
        Matcher told = CLIENT.matcher(label);
        boolean isTold = told.find();
        String version = isTold ? told.group("version") : null;
        String pid = isTold ? told.group("pid") : null;
        return new Client(
                id,
                isTold ? told.group("name") : "",
                pid == null ? UNKNOWN_PID : Long.parseLong(pid),
                version == null ? "" : version,
                Math.max(0, driverMs - lastMs));
    }

    /** Adds the publications that no client holds but that are still being sent or read. */
    private void addReleased() {
        if (registered.isEmpty()) {
            return; // the driver may be Aeron's, which shows no registrations
        }
        LongHashSet held = new LongHashSet();
        registered.forEach(each -> held.add(each.sourceId()));
        streams.forEachLong(
                (id, status) -> {
                    if (!status.isImage() && !held.contains(id)) {
                        registered.add(
                                new Registered(
                                        false,
                                        id,
                                        NO_CLIENT,
                                        status.streamId(),
                                        status.sessionId(),
                                        id,
                                        status.carrier(),
                                        status.channel(),
                                        RegistrationState.LEFT,
                                        ""));
                    }
                });
    }

    /** Returns the clients by id. */
    List<Client> clients() {
        return clients;
    }

    /** Returns the publications and subscriptions by client. */
    List<Registered> registered() {
        return registered;
    }

    /** Returns the name of a client for messages, such as {@code client 5 (feed)}. */
    String nameOf(long clientId) {
        for (Client each : clients) {
            if (each.id() == clientId && !each.name().isEmpty()) {
                return "client " + clientId + " (" + each.name() + ")";
            }
        }
        return "client " + clientId;
    }

    /** Returns the subscribers of a subscription. */
    List<Reader> readersOf(Registered subscription) {
        return readers.stream()
                .filter(each -> each.registrationId() == subscription.registrationId())
                .toList();
    }

    /** Returns a publication's destinations that have counters. */
    List<Destination> destinationsOf(Registered publication) {
        return destinations.stream()
                .filter(each -> each.registrationId() == publication.sourceId())
                .toList();
    }

    /** Returns the images of the driver. */
    List<Arriving> arriving() {
        return arriving;
    }

    /** Returns a publication's position and what holds the publication back; null if unknown. */
    StreamStatus statusOf(Registered publication) {
        return streams.get(publication.sourceId());
    }
}
