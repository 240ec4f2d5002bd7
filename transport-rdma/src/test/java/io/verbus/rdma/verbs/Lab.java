// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.TransportType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Two fabrics in one process on the two addresses that the environment names: A connects, B
 * listens.
 */
final class Lab implements AutoCloseable {
    static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT;

    /** Errors of resources that a device did not release. */
    final List<Throwable> stayed = new CopyOnWriteArrayList<>();

    /** Warnings of devices. */
    final List<String> warnings = new ArrayList<>();

    final VerbsFabric fabricA = VerbsFabric.open(this::onError);
    final VerbsFabric fabricB = VerbsFabric.open(this::onError);
    final Recorder eventsA = new Recorder();
    final Recorder eventsB = new Recorder();
    final Arena arena = Arena.ofShared();
    private final List<Path> files = new ArrayList<>();
    private int fileNumber;

    private void onError(Throwable error) {
        if (error.getMessage().startsWith("WARN: ")) {
            warnings.add(error.getMessage());
        } else {
            stayed.add(error);
        }
    }

    static String addressA() {
        return System.getenv().getOrDefault("VERBUS_LAB_ADDR2", "10.77.0.2");
    }

    static String addressB() {
        return System.getenv().getOrDefault("VERBUS_LAB_ADDR1", "10.77.0.1");
    }

    /** Whether the devices carry RDMA over TCP. */
    static boolean iWarp() {
        return Devices.list().stream()
                .anyMatch(device -> device.transport() == TransportType.IWARP);
    }

    static InetSocketAddress at(String host, int port) {
        return new InetSocketAddress(host, port);
    }

    /** Events of one side. */
    static final class Recorder implements FabricHandler {
        final List<Connection> requests = new ArrayList<>();
        final List<byte[]> requestData = new ArrayList<>();
        final List<Connection> established = new ArrayList<>();
        final List<byte[]> establishedData = new ArrayList<>();
        final List<Ended> ended = new ArrayList<>();
        final List<Listener> lost = new ArrayList<>();
        final List<Listener> back = new ArrayList<>();
        int lostClosed;

        record Ended(Connection connection, Cause cause, String reason, byte[] privateData) {}

        @Override
        public void onConnectRequest(
                Listener listener,
                Connection connection,
                InetSocketAddress remoteAddress,
                byte[] privateData) {
            requests.add(connection);
            requestData.add(privateData);
        }

        @Override
        public void onEstablished(Connection connection, byte[] privateData) {
            established.add(connection);
            establishedData.add(privateData);
        }

        @Override
        public void onListenerLost(Listener listener, String reason) {
            lost.add(listener);
        }

        @Override
        public void onListenerBack(Listener listener) {
            back.add(listener);
        }

        @Override
        public void onLostListenerClosed() {
            lostClosed++;
        }

        @Override
        public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
            ended.add(new Ended(connection, cause, reason, privateData));
        }
    }

    /** Both ends of a connection. */
    record Pair(Connection a, Connection b) {}

    void poll() {
        fabricA.poll(eventsA, System.nanoTime());
        fabricB.poll(eventsB, System.nanoTime());
    }

    Listener listen() {
        return listen(fabricB, at(addressB(), 0), OPTIONS);
    }

    /**
     * Listens at an address.
     *
     * @throws io.verbus.rdma.fabric.FabricException if the fabric refuses.
     */
    Listener listen(Fabric fabric, InetSocketAddress address, ConnectionOptions options) {
        Listener listener = fabric.listen(address, options);
        Await.until("a result", () -> listener.opened().isDone(), this::poll);
        if (listener.refusal() != null) {
            throw listener.refusal();
        }
        return listener;
    }

    Connection connect(InetSocketAddress target, Domain domain, byte[] privateData) {
        return fabricA.connect(target, at(addressA(), 0), OPTIONS, domain, privateData);
    }

    Connection awaitRequest() {
        int before = eventsB.requests.size();
        Await.until("a connect request", () -> eventsB.requests.size() > before, this::poll);
        return eventsB.requests.getLast();
    }

    Pair connectTo(Listener listener) {
        return connectTo(listener, null);
    }

    Pair connectTo(Listener listener, Domain domain) {
        Connection a = connect(listener.localAddress(), domain, new byte[] {1});
        Connection b = awaitRequest();
        b.accept(new byte[] {2});
        Await.until(
                "both ends established",
                () -> eventsA.established.contains(a) && eventsB.established.contains(b),
                this::poll);
        return new Pair(a, b);
    }

    Recorder.Ended awaitEnd(Recorder events, Connection connection) {
        Await.until(
                "the end of the connection",
                () -> events.ended.stream().anyMatch(ended -> ended.connection() == connection),
                this::poll);
        return events.ended.stream()
                .filter(ended -> ended.connection() == connection)
                .findFirst()
                .orElseThrow();
    }

    /** Closes an end, and waits until it is released. */
    void close(Connection connection) {
        AtomicBoolean isTakenDown = new AtomicBoolean();
        connection.close(null, () -> isTakenDown.set(true));
        Await.until("the end taken down", isTakenDown::get, this::poll);
    }

    /** Memory of the process itself, registered. */
    RegisteredMemory register(Connection connection, long length, Access access) {
        long address = arena.allocate(length, 4096).address();
        return connection.domain().register(address, length, access);
    }

    /** A new file on tmpfs. */
    Path file() {
        Path file =
                Path.of(
                        "/dev/shm/verbus-verbs-test-%d-%d"
                                .formatted(ProcessHandle.current().pid(), fileNumber++));
        files.add(file);
        return file;
    }

    /** A separate mapping that shares the file with all others. */
    MemorySegment map(Path file, long length) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
        }
    }

    /** The messages that a queue pair has delivered. */
    static final class Inbox implements QueuePair.Handler {
        final List<byte[]> messages = new ArrayList<>();
        final List<String> failures = new ArrayList<>();

        @Override
        public void onMessage(long address, int length) {
            messages.add(Memory.getBytes(address, length));
        }

        @Override
        public void onFailure(String reason) {
            failures.add(reason);
        }
    }

    @Override
    public void close() {
        fabricA.close();
        fabricB.close();
        assertEquals(List.of(), stayed);
        arena.close();
        files.forEach(file -> file.toFile().delete());
    }
}
