// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.DriverPulse;
import io.verbus.codecs.control.AddCounterDecoder;
import io.verbus.codecs.control.AddDestinationDecoder;
import io.verbus.codecs.control.AddExclusivePublicationDecoder;
import io.verbus.codecs.control.AddPublicationDecoder;
import io.verbus.codecs.control.AddSubscriptionDecoder;
import io.verbus.codecs.control.ClientCloseDecoder;
import io.verbus.codecs.control.MessageBounds;
import io.verbus.codecs.control.RejectImageDecoder;
import io.verbus.codecs.control.RemoveDestinationByIdDecoder;
import io.verbus.codecs.control.RemovePublicationDecoder;
import io.verbus.codecs.control.RemoveSubscriptionDecoder;
import io.verbus.control.DriverEvent;
import io.verbus.control.EventEncoding;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastTransmitter;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The driver's side of a CnC file, scripted by a test step by step: reads the client's actual
 * commands, and sends exactly the events that the test chooses.
 */
final class ScriptedDriver implements AutoCloseable {
    /** A decoded command. */
    sealed interface Command {
        record AddPublication(long correlationId, int streamId, boolean exclusive, String channel)
                implements Command {}

        record RemovePublication(long registrationId) implements Command {}

        record AddSubscription(long correlationId, int streamId, String channel)
                implements Command {}

        record RemoveSubscription(long registrationId) implements Command {}

        record RejectImage(long imageId, long position, String reason) implements Command {}

        record AddCounter(long correlationId, int typeId) implements Command {}

        record AddDestination(long correlationId, long registrationId, String channel)
                implements Command {}

        record RemoveDestination(long correlationId, long registrationId, long destinationId)
                implements Command {}

        record ClientClose(long clientId) implements Command {}
    }

    static final int TERM_LENGTH = 64 * 1024;
    private static final long PATIENCE_NS = 10_000_000_000L;

    private final Path directory;
    private final CncFile cnc;
    private final ManyToOneRingBuffer ring;
    private final BroadcastTransmitter transmitter;
    private final CountersManager counters;
    private final ArrayDeque<Command> commands = new ArrayDeque<>();
    private final ArrayDeque<LogBuffers> logs = new ArrayDeque<>();
    private final Thread heart = new Thread(this::beat, "heart");
    private volatile boolean isBeating;
    private final Map<Long, UnsafeBufferPosition> heartbeats = new HashMap<>();
    private int keepalives;

    ScriptedDriver(Path directory, long driverId) {
        this(directory, driverId, true);
    }

    ScriptedDriver(Path directory, long driverId, boolean isAlive) {
        this.directory = directory;
        cnc =
                CncFile.create(
                        directory.resolve(CncFile.NAME),
                        new CncSpec(
                                driverId,
                                2,
                                4711,
                                1_000_000_000L,
                                65536,
                                65536,
                                16384,
                                4096,
                                false));
        ring = new ManyToOneRingBuffer(cnc.toDriver());
        transmitter = new BroadcastTransmitter(cnc.toClients());
        counters = new CountersManager(cnc.counterMetadata(), cnc.counterValues());
        ring.consumerHeartbeatTime(System.currentTimeMillis() + 60_000);
        if (isAlive) {
            revive();
        }
        cnc.publish();
    }

    private void beat() {
        while (isBeating) {
            ring.consumerHeartbeatTime(ring.consumerHeartbeatTime() + 1);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Starts the heartbeat. */
    void revive() {
        isBeating = true;
        heart.setDaemon(true);
        heart.start();
    }

    /** Stops the heartbeat. */
    void die() {
        isBeating = false;
        try {
            heart.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Stores the heartbeat of a driver that has shut down. */
    void leave() {
        die();
        ring.consumerHeartbeatTime(DriverPulse.CLOSED_HEARTBEAT);
    }

    /** Waits for the next command other than a keepalive, and checks its kind. */
    <T extends Command> T next(Class<T> kind) {
        Command command = next();
        if (!kind.isInstance(command)) {
            throw new AssertionError("not " + kind.getSimpleName() + ": " + command);
        }
        return kind.cast(command);
    }

    /** Returns whether a command other than a keepalive is available. */
    boolean hasNext() {
        read();
        return !commands.isEmpty();
    }

    /** Waits for the next command other than a keepalive. */
    Command next() {
        long deadline = System.nanoTime() + PATIENCE_NS;
        while (commands.isEmpty()) {
            read();
            if (System.nanoTime() > deadline) {
                throw new AssertionError("no command has come");
            }
            LockSupport.parkNanos(100_000);
        }
        return commands.removeFirst();
    }

    /** Reads available commands; returns how many keepalives have arrived so far. */
    int keepalives() {
        read();
        return keepalives;
    }

    private void read() {
        ring.read(this::onCommand);
        for (UnsafeBufferPosition heartbeat : heartbeats.values()) {
            if (heartbeat.getAcquire() != 0) {
                heartbeat.setRelease(0);
                keepalives++;
            }
        }
    }

    private void onCommand(int typeId, MutableDirectBuffer buffer, int index, int length) {
        if (!MessageBounds.isWhole(typeId, buffer, index, length)) {
            throw new AssertionError("command " + typeId + " is not whole");
        }
        see(buffer.getLong(index));
        switch (typeId) {
            case AddPublicationDecoder.TEMPLATE_ID -> {
                AddPublicationDecoder add =
                        new AddPublicationDecoder()
                                .wrap(buffer, index, AddPublicationDecoder.BLOCK_LENGTH, 1);
                commands.add(
                        new Command.AddPublication(
                                add.correlationId(), add.streamId(), false, add.channel()));
            }
            case AddExclusivePublicationDecoder.TEMPLATE_ID -> {
                AddExclusivePublicationDecoder add =
                        new AddExclusivePublicationDecoder()
                                .wrap(
                                        buffer,
                                        index,
                                        AddExclusivePublicationDecoder.BLOCK_LENGTH,
                                        1);
                commands.add(
                        new Command.AddPublication(
                                add.correlationId(), add.streamId(), true, add.channel()));
            }
            case RemovePublicationDecoder.TEMPLATE_ID ->
                    commands.add(
                            new Command.RemovePublication(
                                    new RemovePublicationDecoder()
                                            .wrap(
                                                    buffer,
                                                    index,
                                                    RemovePublicationDecoder.BLOCK_LENGTH,
                                                    1)
                                            .registrationId()));
            case AddSubscriptionDecoder.TEMPLATE_ID -> {
                AddSubscriptionDecoder add =
                        new AddSubscriptionDecoder()
                                .wrap(buffer, index, AddSubscriptionDecoder.BLOCK_LENGTH, 1);
                commands.add(
                        new Command.AddSubscription(
                                add.correlationId(), add.streamId(), add.channel()));
            }
            case RemoveSubscriptionDecoder.TEMPLATE_ID ->
                    commands.add(
                            new Command.RemoveSubscription(
                                    new RemoveSubscriptionDecoder()
                                            .wrap(
                                                    buffer,
                                                    index,
                                                    RemoveSubscriptionDecoder.BLOCK_LENGTH,
                                                    1)
                                            .registrationId()));
            case RejectImageDecoder.TEMPLATE_ID -> {
                RejectImageDecoder reject =
                        new RejectImageDecoder()
                                .wrap(buffer, index, RejectImageDecoder.BLOCK_LENGTH, 1);
                commands.add(
                        new Command.RejectImage(
                                reject.imageId(), reject.position(), reject.reason()));
            }
            case AddCounterDecoder.TEMPLATE_ID -> {
                AddCounterDecoder add = new AddCounterDecoder().wrap(buffer, index);
                commands.add(new Command.AddCounter(add.correlationId(), add.typeId()));
            }
            case AddDestinationDecoder.TEMPLATE_ID -> {
                AddDestinationDecoder add =
                        new AddDestinationDecoder()
                                .wrap(buffer, index, AddDestinationDecoder.BLOCK_LENGTH, 1);
                commands.add(
                        new Command.AddDestination(
                                add.correlationId(), add.registrationId(), add.channel()));
            }
            case RemoveDestinationByIdDecoder.TEMPLATE_ID -> {
                RemoveDestinationByIdDecoder remove =
                        new RemoveDestinationByIdDecoder()
                                .wrap(buffer, index, RemoveDestinationByIdDecoder.BLOCK_LENGTH, 1);
                commands.add(
                        new Command.RemoveDestination(
                                remove.correlationId(),
                                remove.registrationId(),
                                remove.destinationRegistrationId()));
            }
            case ClientCloseDecoder.TEMPLATE_ID ->
                    commands.add(
                            new Command.ClientClose(
                                    new ClientCloseDecoder()
                                            .wrap(buffer, index, ClientCloseDecoder.BLOCK_LENGTH, 1)
                                            .clientId()));
            default -> throw new AssertionError("unknown command " + typeId);
        }
    }

    /** Creates the heartbeat counter of a new client. */
    private void see(long clientId) {
        if (heartbeats.containsKey(clientId)) {
            return;
        }
        int id =
                counters.allocate(
                        "client-heartbeat: id=" + clientId,
                        CounterTypes.CLIENT_HEARTBEAT,
                        key -> key.putLong(0, clientId));
        heartbeats.put(clientId, new UnsafeBufferPosition(cnc.counterValues(), id, counters));
    }

    /** Frees the heartbeat counter of a client, as when the driver drops it. */
    void giveUp(long clientId) {
        heartbeats.remove(clientId).close();
    }

    void tell(DriverEvent event) {
        EventEncoding encoded = EventEncoding.of(event);
        tell(encoded.typeId(), encoded.bytes());
    }

    void tell(int typeId, byte[] event) {
        transmitter.transmit(typeId, new UnsafeBuffer(event), 0, event.length);
    }

    /** Creates a log in the driver directory. */
    LogBuffers log(String name, long registrationId, int sessionId, int streamId) {
        LogBuffers log =
                LogBuffers.create(
                        directory.resolve(name),
                        new LogSpec(
                                LogType.CONCURRENT_PUBLICATION,
                                registrationId,
                                sessionId,
                                streamId,
                                5,
                                TERM_LENGTH,
                                1024,
                                0));
        log.metadata().putIntVolatile(LogLayout.CONNECTED, 1);
        logs.add(log);
        return log;
    }

    /** Allocates a counter with a value. */
    UnsafeBufferPosition counter(long value) {
        int id = counters.allocate("test", 1);
        counters.setCounterValue(id, value);
        return new UnsafeBufferPosition(cnc.counterValues(), id);
    }

    /** Frees a counter, as at the end of an image. */
    void free(int counterId) {
        counters.free(counterId);
    }

    /** Allocates the counter of a subscriber's position. */
    UnsafeBufferPosition position(long subscriptionId) {
        int id =
                counters.allocate(
                        "sub-pos",
                        CounterTypes.SUBSCRIBER_POSITION,
                        key -> key.putLong(0, subscriptionId));
        return new UnsafeBufferPosition(cnc.counterValues(), id);
    }

    @Override
    public void close() {
        die();
        for (LogBuffers log : logs) {
            log.close();
        }
        cnc.close();
    }
}
