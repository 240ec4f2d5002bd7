// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.RegistrationState;
import io.verbus.driver.metrics.CounterKeys;
import io.verbus.driver.metrics.ReadCounters;

import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Status of a publication or image: its position, and the reader that holds it back.
 *
 * @param isImage whether the stream is an image.
 * @param streamId stream id.
 * @param sessionId session id of the stream.
 * @param registrationId registration id of the publication, or image id.
 * @param carrier carrier of the stream.
 * @param channel channel in a counter's key.
 * @param position position up to which publishers have appended, or up to which an image has
 *     arrived without gaps.
 * @param behind number of bytes by which the slowest reader is behind; -1 if there are no readers.
 * @param slowest slowest reader; empty if no reader is behind, or if an open claim holds the
 *     readers back.
 * @param slowestClient client of the slowest reader; {@link ClientStates#NO_CLIENT} if it has none.
 * @param isLingering whether the slowest reader is untethered and detached, but still counts.
 * @param openClaim sentence about the open claim that holds the readers back; empty if no claim
 *     does.
 * @param isConnected false for a publication that the driver shows as not connected.
 * @param isBlocked whether the stream is a connected publication that has reached its limit and
 *     waits for the slowest reader, or for an open claim.
 */
record StreamStatus(
        boolean isImage,
        int streamId,
        int sessionId,
        long registrationId,
        String carrier,
        String channel,
        long position,
        long behind,
        String slowest,
        long slowestClient,
        boolean isLingering,
        String openClaim,
        boolean isConnected,
        boolean isBlocked) {
    /** Ends the label of a detached subscriber whose position still counts. */
    private static final String LINGERING = " lingering";

    private static final Pattern ENDPOINT = Pattern.compile("[?|]endpoint=([^|]*)");

    /** A reader of a stream, and its position. */
    private record Reader(String name, long clientId, long position, boolean isLingering) {}

    /** Counter values of one publication or image. */
    private static final class Found {
        private boolean isImage;
        private int streamId;
        private int sessionId;
        private String channel = "";
        private long position = -1;
        private long limit = -1;
        private long sent = -1;
        private final List<Reader> readers = new ArrayList<>();
        private boolean hasDestinations;
        private boolean isConnected = true;
        private String openClaim = "";
    }

    /**
     * Reads the streams of a driver.
     *
     * @param counters current counters of the driver.
     */
    static List<StreamStatus> read(ReadCounters counters) {
        Long2ObjectHashMap<Found> all = new Long2ObjectHashMap<>();
        counters.forEach((id, typeId, key) -> find(all, counters.values(), id, typeId, key));
        counters.forEach(
                (id, typeId, key, label) ->
                        addReader(all, counters.values(), id, typeId, key, label));
        StreamCarriers carriers = new StreamCarriers(counters);
        List<StreamStatus> streams = new ArrayList<>();
        all.forEachLong((id, found) -> streams.add(status(id, found, carriers)));
        return streams;
    }

    private static void find(
            Long2ObjectHashMap<Found> all,
            CountersReader values,
            int id,
            int typeId,
            DirectBuffer key) {
        switch (typeId) {
            case CounterTypes.PUBLISHER_POSITION -> {
                Found found = named(all, key);
                found.position = values.getCounterValue(id);
            }
            case CounterTypes.PUBLISHER_LIMIT -> named(all, key).limit = values.getCounterValue(id);
            case CounterTypes.SENDER_POSITION -> named(all, key).sent = values.getCounterValue(id);
            case CounterTypes.RECEIVER_POSITION -> {
                Found found = named(all, key);
                found.isImage = true;
                found.position = values.getCounterValue(id);
            }
            default -> {
                // Other counters do not concern streams or their readers.
            }
        }
    }

    private static Found named(Long2ObjectHashMap<Found> all, DirectBuffer key) {
        Found found = all.computeIfAbsent(CounterKeys.registrationId(key), absent -> new Found());
        found.streamId = CounterKeys.streamId(key);
        found.sessionId = CounterKeys.sessionId(key);
        found.channel = CounterKeys.streamText(key);
        return found;
    }

    /**
     * Adds a reader, or the state that the driver shows. A detached subscriber has a negative
     * reference id; it holds nothing back unless it is lingering.
     */
    private static void addReader(
            Long2ObjectHashMap<Found> all,
            CountersReader values,
            int id,
            int typeId,
            DirectBuffer key,
            String label) {
        long registrationId = CounterKeys.registrationId(key);
        if (typeId == CounterTypes.SUBSCRIBER_POSITION) {
            long reference = values.getCounterReferenceId(id);
            boolean isLingering = reference < 0 && label.endsWith(LINGERING);
            Found found = all.get(isLingering ? -reference : reference);
            if (found != null) {
                long client = values.getCounterOwnerId(id);
                String name = "subscription " + registrationId + " of client " + client;
                found.readers.add(
                        new Reader(name, client, values.getCounterValue(id), isLingering));
            }
        } else if (typeId == CounterTypes.DESTINATION_RELEASED) {
            Found found = all.get(registrationId);
            if (found != null) {
                String name = CounterKeys.streamText(key);
                found.readers.add(
                        new Reader(
                                name, ClientStates.NO_CLIENT, values.getCounterValue(id), false));
                found.hasDestinations = true;
            }
        } else if (typeId == CounterTypes.PUBLICATION_STATE) {
            Found found = all.get(values.getCounterReferenceId(id));
            if (found != null) {
                RegistrationState state = RegistrationState.of(values.getCounterValue(id));
                String reason = RegistrationState.parse(label).reason();
                found.isConnected = state == RegistrationState.CONNECTED;
                found.openClaim =
                        found.isConnected && reason.startsWith(RegistrationState.OPEN_CLAIM)
                                ? reason
                                : "";
            }
        }
    }

    private static StreamStatus status(long id, Found found, StreamCarriers carriers) {
        if (found.sent >= 0 && !found.hasDestinations) {
            found.readers.add(network(found));
        }
        Reader slowest = null;
        for (Reader each : found.readers) {
            if (slowest == null || each.position < slowest.position) {
                slowest = each;
            }
        }
        long behind = slowest == null ? -1 : Math.max(0, found.position - slowest.position);
        boolean isBlocked =
                !found.isImage
                        && found.isConnected
                        && slowest != null
                        && found.position >= found.limit;
        boolean isHeldBack =
                slowest != null && found.openClaim.isEmpty() && (behind > 0 || isBlocked);
        int type = found.isImage ? CounterTypes.RECEIVER_POSITION : CounterTypes.PUBLISHER_POSITION;
        return new StreamStatus(
                found.isImage,
                found.streamId,
                found.sessionId,
                id,
                carriers.of(type, id, " " + found.channel),
                found.channel,
                found.position,
                behind,
                isHeldBack ? slowest.name : "",
                isHeldBack ? slowest.clientId : ClientStates.NO_CLIENT,
                isHeldBack && slowest.isLingering,
                found.openClaim,
                found.isConnected,
                isBlocked);
    }

    /**
     * Returns a reader that represents all receivers without counters. Only the publication's limit
     * reveals them; they hold the publication back when it has reached the limit.
     */
    private static Reader network(Found found) {
        Matcher endpoint = ENDPOINT.matcher(found.channel);
        String receiver = endpoint.find() ? endpoint.group(1) : "its receivers";
        boolean isAtLimit = found.isConnected && found.position >= found.limit;
        return new Reader(
                isAtLimit ? receiver : "unsent messages",
                ClientStates.NO_CLIENT,
                found.sent,
                false);
    }

    /** Returns what holds the stream back, in a few words; empty if nothing does. */
    String heldBackBy() {
        if (!openClaim.isEmpty()) {
            String position = openClaim.substring(RegistrationState.OPEN_CLAIM.length());
            return "uncommitted claim at " + position.substring(0, position.indexOf(' '));
        }
        return isLingering ? slowest + " (lingering)" : slowest;
    }
}
