// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Counter;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Driver processes are killed and stopped: a client with reconnection continues with the next. */
@Timeout(240)
@Tag("slow")
class DriverReconnectTest {
    private static final String IPC = "aeron:ipc?term-length=64k";
    private static final int STREAM = 40;
    private static final int TYPE = 1234;

    private final Path directory = DriverDirectory.uniquePath();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger back = new AtomicInteger();
    private ChildProcess driver = driver();

    @AfterEach
    void end() {
        driver.terminate();
    }

    private ChildProcess driver() {
        ChildProcess process =
                ChildProcess.start(
                        MediaDriver.class,
                        "dir=" + directory,
                        "threading=shared",
                        "term-length=64k",
                        "client-liveness-timeout=5s");
        process.awaitLine("verbus driver ready");
        return process;
    }

    private ChildProcess aeronsDriver(Path folder) throws IOException {
        Path settings = folder.resolve("driver.properties");
        Files.writeString(
                settings,
                String.join(
                        "\n",
                        "aeron.dir=" + directory,
                        "aeron.dir.delete.on.start=true",
                        "aeron.dir.delete.on.shutdown=true",
                        "aeron.threading.mode=SHARED",
                        "aeron.term.buffer.sparse.file=true"));
        return ChildProcess.start(io.aeron.driver.MediaDriver.class, settings.toString());
    }

    private BusContext context() {
        return new BusContext()
                .directoryName(directory.toString())
                .driverTimeout(Duration.ofSeconds(20))
                .keepAliveInterval(Duration.ofMillis(20))
                .lingerInterval(Duration.ofMillis(100))
                .reconnect(true)
                .errorHandler(errors::add)
                .driverLostHandler((bus, reason) -> lost.incrementAndGet())
                .driverBackHandler(bus -> back.incrementAndGet());
    }

    private void restart() {
        driver.kill();
        driver = driver();
    }

    private void awaitBack(int times) {
        Await.until("driver " + times, () -> back.get() == times);
        assertEquals(times, lost.get());
    }

    @Test
    void trafficContinuesThroughTenKilledDrivers() throws Exception {
        try (Bus bus = Bus.connect(context());
                ExclusivePublication publication = bus.addExclusivePublication(IPC, STREAM);
                Subscription subscription = bus.addSubscription(IPC, STREAM);
                Counter counter = bus.addCounter(TYPE, "restarts");
                Traffic traffic = new Traffic(publication, subscription)) {
            traffic.awaitMore();
            Held first = null;
            for (int i = 1; i <= 10; i++) {
                restart();
                awaitBack(i);
                counter.increment();
                assertEquals(i, bus.counters().getCounterValue(counter.id()));
                traffic.awaitMore();
                if (i == 1) {
                    first = Held.once(directory, 3);
                }
            }
            Held last = Held.once(directory, 3);
            assertTrue(last.descriptors <= first.descriptors + 2, first + " and then " + last);
            assertTrue(last.mappings <= first.mappings + 10, first + " and then " + last);
            assertEquals(10, errors.size(), errors.toString());
        }
        Held.once(directory, 0);
    }

    @Test
    void nextDriverCompletesAddThatKilledDriverBegan() {
        try (Bus bus = Bus.connect(context())) {
            Publication old = bus.addPublication(IPC, STREAM);
            driver.signal("STOP");
            long id = bus.async().addExclusivePublication(IPC, STREAM + 1);
            CompletableFuture<Subscription> subscription =
                    CompletableFuture.supplyAsync(() -> bus.addSubscription(IPC, STREAM + 1));
            Await.until("asked", () -> bus.async().hasActive());
            restart();
            Subscription made = subscription.join();
            Await.until("added", () -> bus.async().getExclusivePublication(id) != null);
            Publication publication = bus.async().getExclusivePublication(id);
            Await.until("sent", () -> publication.offer(new UnsafeBuffer(new byte[8])) > 0);
            Await.until("received", () -> made.poll((b, o, l, h) -> {}, 1) == 1);
            assertFalse(old.isClosed());
            awaitBack(1);
        }
    }

    @Test
    void doesNotRestoreResourcesOfBusClosedWhileDriverWasDown() throws Exception {
        try (Bus bus = Bus.connect(context())) {
            Publication publication = bus.addPublication(IPC, STREAM);
            Subscription subscription = bus.addSubscription(IPC, STREAM);
            Await.until("image", () -> subscription.imageCount() == 1);
            driver.kill();
            Files.delete(directory.resolve(CncFile.NAME));
            Await.until("lost", () -> lost.get() == 1);
            assertEquals(
                    Publication.NOT_CONNECTED, publication.offer(new UnsafeBuffer(new byte[8])));
            subscription.close();
        }
        Held.once(directory, 0);
        driver = driver();
        try (Bus other = Bus.connect(context())) {
            other.addPublication(IPC, STREAM);
            assertEquals(1, Drivers.counter(other, SystemCounter.CLIENTS));
        }
    }

    @Test
    void reconnectsToStalledDriverOnceItContinues() throws Exception {
        try (Bus bus = Bus.connect(context().driverTimeout(Duration.ofSeconds(2)));
                ExclusivePublication publication =
                        bus.addExclusivePublication(IPC + "|session-id=77", STREAM);
                Subscription subscription = bus.addSubscription(IPC, STREAM);
                Traffic traffic = new Traffic(publication, subscription)) {
            traffic.awaitMore();
            long clientId = bus.clientId();
            driver.signal("STOP");
            Await.until("lost", () -> lost.get() == 1);
            assertTrue(errors.getFirst().getMessage().contains("has stalled"), errors.toString());
            Await.until("not connected", () -> !publication.isConnected());
            assertEquals(0, back.get());
            driver.signal("CONT");
            awaitBack(1);
            traffic.awaitMore();
            assertTrue(bus.clientId() > clientId);
            assertEquals(77, publication.sessionId());
            Await.until("clients", () -> Drivers.counter(bus, SystemCounter.CLIENTS) == 1);
            assertEquals(1, errors.size(), errors.toString());
        }
    }

    @Test
    void reconnectsBetweenVerbusAndAeronDrivers(@TempDir Path folder) throws Exception {
        try (Bus bus = Bus.connect(context());
                Publication publication = bus.addPublication(IPC, STREAM);
                Subscription subscription = bus.addSubscription(IPC, STREAM);
                Subscription spread =
                        bus.addSubscription("aeron:udp?control-mode=manual", STREAM + 1);
                Counter counter = bus.addCounter(TYPE, "restarts");
                Traffic traffic = new Traffic(publication, subscription)) {
            spread.addDestination("aeron:udp?endpoint=127.0.0.1:0");
            traffic.awaitMore();
            for (int i = 1; i <= 4; i++) {
                driver.kill();
                // A Verbus driver considers an Aeron driver alive while its heartbeat is recent.
                Files.delete(directory.resolve(CncFile.NAME));
                driver = i % 2 == 1 ? aeronsDriver(folder) : driver();
                awaitBack(i);
                traffic.awaitMore();
                counter.increment();
                assertEquals(i, bus.counters().getCounterValue(counter.id()));
                assertEquals("restarts", bus.counters().getCounterLabel(counter.id()));
                Await.until("address", () -> !spread.localSocketAddresses().isEmpty());
            }
            assertEquals(4, errors.size(), errors.toString());
        }
    }

    @Test
    void udpStreamsContinueAfterEachDriverIsKilled() {
        Path otherDirectory = DriverDirectory.uniquePath();
        BusContext there = context().directoryName(otherDirectory.toString());
        ChildProcess other = udpDriver(otherDirectory);
        try (Bus receiving = Bus.connect(there);
                Bus sending = Bus.connect(context());
                Subscription subscription =
                        receiving.addSubscription("aeron:udp?endpoint=127.0.0.1:24377", STREAM);
                Publication publication =
                        sending.addPublication(
                                "aeron:udp?control-mode=manual|term-length=64k", STREAM)) {
            publication.addDestination("aeron:udp?endpoint=127.0.0.1:24377");
            try (Traffic traffic = new Traffic(publication, subscription)) {
                traffic.awaitMore();
                restart();
                awaitBack(1);
                traffic.awaitMore();
                other.kill();
                other = udpDriver(otherDirectory);
                awaitBack(2);
                traffic.awaitMore();
            }
        } finally {
            other.terminate();
        }
    }

    private static ChildProcess udpDriver(Path directory) {
        ChildProcess process =
                ChildProcess.start(MediaDriver.class, "dir=" + directory, "threading=shared");
        process.awaitLine("verbus driver ready");
        return process;
    }

    @Test
    void closesPublicationWhoseSessionWasTaken() {
        String channel = IPC + "|session-id=55";
        try (Bus bus = Bus.connect(context().useConductorAgentInvoker(true))) {
            Publication taken = bus.addExclusivePublication(channel, STREAM);
            Publication free = bus.addExclusivePublication(IPC, STREAM);
            restart();
            try (Bus other = Bus.connect(context().reconnect(false))) {
                other.addExclusivePublication(channel, STREAM);
                Await.until(
                        "back",
                        () -> {
                            bus.conductorAgentInvoker().invoke();
                            return back.get() == 1;
                        });
            }
            assertTrue(taken.isClosed());
            assertFalse(free.isClosed());
            String text =
                    errors.stream()
                            .filter(error -> error instanceof RegistrationException)
                            .findFirst()
                            .orElseThrow()
                            .getMessage();
            assertTrue(text.contains("session=55 was closed after reconnecting, because"), text);
        }
    }

    /** Files of a driver that this process has open or mapped. */
    private record Held(long descriptors, long mappings) {
        /**
         * Waits until nothing lingers, and at most the given number of the driver's files are
         * mapped.
         */
        static Held once(Path directory, int files) throws IOException {
            Await.until(
                    () -> "files that are mapped: " + mapped(directory),
                    20,
                    () -> mapped(directory).size() <= files);
            System.gc();
            return new Held(
                    Path.of("/proc/self/fd").toFile().list().length,
                    Files.readAllLines(Path.of("/proc/self/maps")).size());
        }

        private static List<String> mapped(Path directory) {
            try {
                return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                        .filter(line -> line.contains(directory.toString()))
                        .toList();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    /** Two threads, one that offers and one that polls, regardless of the driver's state. */
    private static final class Traffic implements AutoCloseable {
        private final Publication publication;
        private final Subscription subscription;
        private final UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        private final CompletableFuture<Void> offering;
        private final CompletableFuture<Void> polling;
        private volatile boolean isOver;
        private volatile long received = -1;

        Traffic(Publication publication, Subscription subscription) {
            this.publication = publication;
            this.subscription = subscription;
            offering = CompletableFuture.runAsync(this::offer, this::start);
            polling = CompletableFuture.runAsync(this::poll, this::start);
        }

        private void start(Runnable task) {
            Thread.ofPlatform().daemon().start(task);
        }

        private void offer() {
            for (long n = 0; !isOver; n++) {
                message.putLong(0, n);
                long result;
                while ((result = publication.offer(message)) < 0 && !isOver) {
                    assertTrue(result >= Publication.ADMIN_ACTION, "offer: " + result);
                    Thread.yield();
                }
            }
        }

        private void poll() {
            while (!isOver) {
                int count =
                        subscription.poll(
                                (buffer, offset, length, header) -> {
                                    long n = buffer.getLong(offset);
                                    assertTrue(n > received, n + " behind " + received);
                                    received = n;
                                },
                                10);
                if (count == 0) {
                    Thread.yield();
                }
            }
        }

        /** Waits until messages offered from now on arrive. */
        void awaitMore() {
            long before = received;
            Await.until("messages", () -> polling.isDone() || received > before + 2000);
            assertFalse(offering.isDone() || polling.isDone(), "a thread has ended");
        }

        @Override
        public void close() {
            isOver = true;
            offering.join();
            polling.join();
        }
    }
}
