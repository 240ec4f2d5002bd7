// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** SIGKILL of each process in turn, over IPC, under traffic. */
@Timeout(120)
@Tag("slow")
class KilledProcessesTest {
    private static final String CHANNEL = "verbus:ipc";
    private static final int STREAM = 30;
    private static final long LIVENESS_NS = 3_000_000_000L;

    private static DriverConfigBuilder config() {
        return Drivers.config().clientLivenessTimeoutNs(LIVENESS_NS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"publish", "publish-exclusively"})
    void readsMessagesOfKilledPublisherAndEndsImage(String kind) {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config())) {
            try (Bus bus = Drivers.connect(driver)) {
                List<Image> gone = new ArrayList<>();
                AtomicInteger goneCount = new AtomicInteger();
                Subscription subscription =
                        bus.addSubscription(
                                CHANNEL,
                                STREAM,
                                image -> {},
                                image -> {
                                    gone.add(image);
                                    goneCount.incrementAndGet();
                                });
                MutableLong next = new MutableLong();
                try (ChildProcess publisher = client(driver, kind)) {
                    Await.until("received", () -> poll(subscription, next) && next.value > 10_000);
                    publisher.kill();
                }
                Await.until(
                        "image ends",
                        () -> {
                            poll(subscription, next);
                            return goneCount.get() == 1;
                        });
                assertTrue(gone.getFirst().isEndOfStream());
                awaitNothingLeft(driver, bus, 1);
            }
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    private static boolean poll(Subscription subscription, MutableLong next) {
        subscription.poll(
                (buffer, offset, length, header) ->
                        assertEquals(next.value++, buffer.getLong(offset)),
                50);
        return true;
    }

    private static ChildProcess client(MediaDriver driver, String kind) {
        return ChildProcess.start(
                ChildClient.class, driver.directory().toString(), kind, Integer.toString(STREAM));
    }

    /** All resources of the dead client are released; the given number of clients remains. */
    private static void awaitNothingLeft(MediaDriver driver, Bus bus, int clients) {
        Await.until("given up", () -> Drivers.counter(bus, SystemCounter.CLIENTS_TIMED_OUT) == 1);
        Await.until("clients", () -> Drivers.counter(bus, SystemCounter.CLIENTS) == clients);
        Await.until("logs", () -> Drivers.counter(bus, SystemCounter.LOG_BYTES) == 0);
        assertEquals(0, Drivers.count(bus, CounterTypes.PUBLISHER_LIMIT));
        assertEquals(0, Drivers.count(bus, CounterTypes.SUBSCRIBER_POSITION));
        assertEquals(clients, Drivers.count(bus, CounterTypes.CLIENT_HEARTBEAT));
        assertEquals(Set.of(), Drivers.logs(driver), "logs are left");
    }

    @Test
    void otherPublishersContinueAfterOneIsKilledDuringClaim() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus bus = Drivers.connect(driver)) {
            Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
            Publication publication = bus.addPublication(CHANNEL, STREAM);
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            MutableLong next = new MutableLong();
            Await.until("first", () -> publication.offer(message) > 0);
            try (ChildProcess claimer = client(driver, "claim")) {
                claimer.awaitLine("claimed");
                claimer.kill();
            }
            message.putLong(0, 1);
            Await.until("second", () -> publication.offer(message) > 0);
            Await.until("both", () -> poll(subscription, next) && next.value == 2);
            Await.until("counted", () -> Drivers.counter(bus, SystemCounter.UNBLOCKED) == 1);
            assertFalse(publication.isClosed());
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    @Test
    void publisherContinuesAfterSubscriberIsKilled() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus bus = Drivers.connect(driver)) {
            Publication publication = bus.addPublication(CHANNEL, STREAM);
            Subscription other = bus.addSubscription(CHANNEL, STREAM);
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            try (ChildProcess subscriber = client(driver, "subscribe")) {
                Await.until("two", () -> Drivers.count(bus, CounterTypes.SUBSCRIBER_POSITION) == 2);
                Await.until("sent", () -> publication.offer(message) > 0);
                subscriber.awaitLine("received");
                subscriber.kill();
            }
            long[] sent = new long[1];
            long start = System.nanoTime();
            Await.until(
                    "ten terms more",
                    () -> {
                        if (publication.offer(message) > 0) {
                            sent[0]++;
                        }
                        other.poll((buffer, offset, length, header) -> {}, 10);
                        return sent[0] > 10 * 64 * 1024 / 96;
                    });
            assertTrue(System.nanoTime() - start < 15_000_000_000L);
            assertEquals(1, Drivers.counter(bus, SystemCounter.CLIENTS));
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    @Test
    void notifiesClientsOfKilledDriverAndNextDriverStarts() {
        Path directory = DriverDirectory.uniquePath();
        AtomicInteger told = new AtomicInteger();
        BusContext context =
                new BusContext()
                        .directoryName(directory.toString())
                        .driverTimeout(Duration.ofSeconds(3))
                        .keepAliveInterval(Duration.ofMillis(50))
                        .errorHandler(error -> {})
                        .driverLostHandler((bus, reason) -> told.incrementAndGet());
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        try (ChildProcess first = driver(directory)) {
            first.awaitLine("verbus driver ready");
            try (Bus bus = Bus.connect(context)) {
                Publication publication = bus.addPublication(CHANNEL, STREAM);
                Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
                Await.until("sent", () -> publication.offer(message) > 0);
                first.kill();
                assertTrue(
                        Files.exists(directory.resolve(CncFile.NAME)),
                        "the killed driver leaves its files");
                Await.until("told", () -> told.get() == 1);
                assertEquals(Publication.CLOSED, publication.offer(message));
                assertTrue(subscription.hasNoImages());
            }
        }
        try (ChildProcess second = driver(directory)) {
            second.awaitLine("verbus driver ready");
            try (Bus bus = Bus.connect(context)) {
                Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
                Publication publication = bus.addPublication(CHANNEL, STREAM);
                Await.until("sent", () -> publication.offer(message) > 0);
                Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
            }
            assertEquals(0, second.terminate());
        }
        assertFalse(Files.exists(directory), "directory is left after SIGTERM");
    }

    @Test
    void notifiesTimedOutClientWhenItResumes() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus watcher = Drivers.connect(driver)) {
            AtomicInteger told = new AtomicInteger();
            try (Bus silent =
                    Bus.connect(
                            Drivers.context(driver)
                                    .useConductorAgentInvoker(true)
                                    .errorHandler(error -> {})
                                    .driverLostHandler((bus, reason) -> told.incrementAndGet()))) {
                Publication publication = silent.addPublication(CHANNEL, STREAM);
                awaitNothingLeft(driver, watcher, 0);
                Await.until(
                        "told",
                        () -> {
                            silent.conductorAgentInvoker().invoke();
                            return told.get() == 1;
                        });
                assertTrue(publication.isClosed());
            }
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    private static ChildProcess driver(Path directory) {
        return ChildProcess.start(
                MediaDriver.class,
                "dir=" + directory,
                "threading=shared",
                "term-length=64k",
                "client-liveness-timeout=5s");
    }

    @Test
    void reportsLackOfSpaceToClientAndContinues() {
        Path directory = DriverDirectory.uniquePath();
        // A limit on the file size (in blocks of 512 bytes) replaces a full file system, which
        // needs root: both fail the call that allocates the log.
        List<String> limited = List.of("/bin/sh", "-c", "ulimit -f 32768; exec \"$@\"", "sh");
        try (ChildProcess driver =
                ChildProcess.start(
                        limited,
                        MediaDriver.class,
                        "dir=" + directory,
                        "threading=shared",
                        "counter-values-length=1m",
                        "error-log-length=1m")) {
            driver.awaitLine("verbus driver ready");
            try (Bus bus = Bus.connect(new BusContext().directoryName(directory.toString()))) {
                String text = Drivers.refusal(() -> bus.addPublication(CHANNEL, STREAM));
                assertTrue(text.contains("space for a log of 50335744 bytes"), text);
                assertTrue(text.contains("shorten the term length"), text);
                bus.addPublication(CHANNEL + "?term-length=64k", STREAM).close();
            }
            assertEquals(0, driver.terminate());
        }
        assertFalse(Files.exists(directory));
    }

    @Test
    void interruptedDriverClosesGracefully() {
        Path directory = DriverDirectory.uniquePath();
        try (ChildProcess driver = driver(directory)) {
            driver.awaitLine("verbus driver ready");
            assertEquals(0, driver.interrupt());
        }
        assertFalse(Files.exists(directory), "directory is left after SIGINT");
    }
}
