// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.cnc.CncFile;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.codecs.control.ErrorDecoder;
import io.verbus.driver.Await;
import io.verbus.driver.MediaDriver;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastReceiver;
import org.agrona.concurrent.broadcast.CopyBroadcastReceiver;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A client that writes commands with arbitrary ids, and records all events of the driver. */
public final class RawClient implements AutoCloseable {
    public static final int ADD_PUBLICATION = 1;
    public static final int REMOVE_PUBLICATION = 2;
    public static final int ADD_EXCLUSIVE_PUBLICATION = 3;
    static final int ADD_SUBSCRIPTION = 4;
    public static final int REMOVE_SUBSCRIPTION = 5;
    public static final int KEEPALIVE = 6;
    public static final int ADD_DESTINATION = 7;
    public static final int REMOVE_DESTINATION = 8;
    public static final int ADD_COUNTER = 9;
    public static final int REMOVE_COUNTER = 10;
    static final int CLIENT_CLOSE = 11;
    public static final int ADD_RECEIVE_DESTINATION = 12;
    public static final int REMOVE_RECEIVE_DESTINATION = 13;
    static final int TERMINATE = 14;
    static final int ADD_STATIC_COUNTER = 15;
    static final int REJECT_IMAGE = 16;
    static final int REMOVE_DESTINATION_BY_ID = 17;
    static final int NEXT_SESSION_ID = 18;

    private static final int SCRATCH = 64 * 1024;

    /**
     * Event of the driver.
     *
     * @param code code of an error, or null.
     * @param text text of an error, or empty.
     * @param body body of the event.
     */
    public record Event(
            int typeId, long correlationId, ErrorCode code, String text, UnsafeBuffer body) {
        public boolean isError() {
            return typeId == ErrorDecoder.TEMPLATE_ID;
        }
    }

    private final CncFile cnc;
    private final ManyToOneRingBuffer ring;
    private final CopyBroadcastReceiver receiver;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[8192]);
    private final List<Event> events = new ArrayList<>();
    private final Runnable turn;
    private final long id;

    /**
     * @param turn of the driver, where the test gives it its turns.
     */
    public RawClient(MediaDriver driver, Runnable turn) {
        this(driver.directory(), turn);
    }

    private RawClient(Path directory, Runnable turn) {
        cnc = CncFile.map(directory.resolve(CncFile.NAME));
        ring = new ManyToOneRingBuffer(cnc.toDriver());
        receiver =
                new CopyBroadcastReceiver(
                        new BroadcastReceiver(cnc.toClients()),
                        new UnsafeBuffer(new byte[SCRATCH]));
        receiver.receive((type, buffer, index, length) -> {}); // starts with the next event
        this.turn = turn;
        id = nextId();
    }

    public RawClient(MediaDriver driver) {
        this(driver.directory());
    }

    /** For a driver in another process. */
    RawClient(Path directory) {
        this(directory, Thread::yield);
    }

    public long id() {
        return id;
    }

    /** An id that no other client has. */
    public long nextId() {
        return ring.nextCorrelationId();
    }

    private void write(int typeId, int length) {
        while (!ring.write(typeId, message, 0, length)) {
            poll();
        }
    }

    /** Reads the driver's events. */
    void poll() {
        turn.run();
        while (receiver.receive(this::onEvent) > 0) {
            turn.run();
        }
    }

    private void onEvent(int typeId, MutableDirectBuffer buffer, int index, int length) {
        UnsafeBuffer body = new UnsafeBuffer(new byte[length]);
        body.putBytes(0, buffer, index, length);
        boolean isError = typeId == ErrorDecoder.TEMPLATE_ID;
        events.add(
                new Event(
                        typeId,
                        body.getLong(0),
                        isError ? ErrorCode.get(body.getInt(8)) : null,
                        isError ? body.getStringWithoutLengthAscii(16, body.getInt(12)) : "",
                        body));
    }

    /** Returns and removes the recorded events. */
    public List<Event> take() {
        poll();
        List<Event> taken = List.copyOf(events);
        events.clear();
        return taken;
    }

    /** The answer to a command. */
    public Event answer(long correlationId) {
        Event[] found = new Event[1];
        Await.until(
                () -> "an answer to " + correlationId,
                60,
                () -> {
                    poll();
                    for (Event each : events) {
                        if (each.correlationId == correlationId) {
                            found[0] = each;
                        }
                    }
                    return found[0] != null;
                });
        events.clear();
        return found[0];
    }

    public CountersReader counters() {
        return new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /** Waits until all commands are read. */
    public void awaitRead() {
        Await.until(
                "all read",
                () -> {
                    poll();
                    return ring.consumerPosition() == ring.producerPosition();
                });
    }

    private int text(int at, String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        message.putInt(at, ascii.length);
        message.putBytes(at + Integer.BYTES, ascii);
        return at + Integer.BYTES + ascii.length;
    }

    private void begin(long clientId, long correlationId) {
        message.putLong(0, clientId);
        message.putLong(8, correlationId);
    }

    /** Adds a publication, or an exclusive one. */
    public void addPublication(
            int typeId, long clientId, long correlationId, int stream, String channel) {
        begin(clientId, correlationId);
        message.putInt(16, stream);
        write(typeId, text(20, channel));
    }

    public long addPublication(String channel, int stream) {
        long correlationId = nextId();
        addPublication(ADD_EXCLUSIVE_PUBLICATION, id, correlationId, stream, channel);
        return correlationId;
    }

    public void addSubscription(long clientId, long correlationId, int stream, String channel) {
        begin(clientId, correlationId);
        message.putLong(16, -1);
        message.putInt(24, stream);
        write(ADD_SUBSCRIPTION, text(28, channel));
    }

    public long addSubscription(String channel, int stream) {
        long correlationId = nextId();
        addSubscription(id, correlationId, stream, channel);
        return correlationId;
    }

    /** Adds a counter, or a static one of a registration. */
    public void addCounter(
            int typeId, long clientId, long correlationId, int counterType, long of) {
        begin(clientId, correlationId);
        message.putInt(16, counterType);
        int at = 20;
        if (typeId == ADD_STATIC_COUNTER) {
            message.putLong(20, of);
            at = 28;
        }
        message.putInt(at, 0);
        write(typeId, text(at + Integer.BYTES, "label"));
    }

    public long addCounter() {
        long correlationId = nextId();
        addCounter(ADD_COUNTER, id, correlationId, 1001, 0);
        return correlationId;
    }

    /** A command about a registration: a removal. */
    public void about(int typeId, long clientId, long correlationId, long registrationId) {
        begin(clientId, correlationId);
        message.putLong(16, registrationId);
        message.putLong(24, 0);
        write(typeId, typeId == REMOVE_PUBLICATION ? 32 : 24);
    }

    /** Revokes a publication. */
    void revoke(long clientId, long correlationId, long registrationId) {
        begin(clientId, correlationId);
        message.putLong(16, registrationId);
        message.putLong(24, 1);
        write(REMOVE_PUBLICATION, 32);
    }

    /** A command about a destination of a registration. */
    public void destination(
            int typeId, long clientId, long correlationId, long registrationId, String channel) {
        begin(clientId, correlationId);
        message.putLong(16, registrationId);
        write(typeId, text(24, channel));
    }

    public long destination(int typeId, long registrationId, String channel) {
        long correlationId = nextId();
        destination(typeId, id, correlationId, registrationId, channel);
        return correlationId;
    }

    void removeDestinationById(
            long clientId, long correlationId, long registrationId, long destinationId) {
        begin(clientId, correlationId);
        message.putLong(16, registrationId);
        message.putLong(24, destinationId);
        write(REMOVE_DESTINATION_BY_ID, 32);
    }

    void rejectImage(long clientId, long correlationId, long imageId) {
        begin(clientId, correlationId);
        message.putLong(16, imageId);
        message.putLong(24, 0);
        write(REJECT_IMAGE, text(32, "why not"));
    }

    void nextSessionId(long clientId, long correlationId) {
        begin(clientId, correlationId);
        message.putInt(16, 7);
        write(NEXT_SESSION_ID, 20);
    }

    /** Sends a keepalive of a client, or closes it. */
    public void ofClient(int typeId, long clientId) {
        begin(clientId, 0);
        write(typeId, 16);
    }

    void terminate(long clientId) {
        begin(clientId, 0);
        write(TERMINATE, text(16, "please"));
    }

    /** Writes arbitrary bytes as a command. */
    void junk(int typeId, long clientId, long correlationId, int length) {
        begin(clientId, correlationId);
        write(typeId, length);
    }

    /** Closes the client properly. It may have missed events, which it no longer reads. */
    @Override
    public void close() {
        ofClient(CLIENT_CLOSE, id);
        Await.until(
                "all read",
                () -> {
                    turn.run();
                    return ring.consumerPosition() == ring.producerPosition();
                });
        cnc.close();
    }
}
