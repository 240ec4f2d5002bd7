// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Slow operations of one client do not affect others. */
@Timeout(180)
@Tag("slow")
@Tag("alone")
class SlowWorkTest {
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(2);

    private static final long SHORT_LOGS_BYTES = 64 * 1024 * 1024;
    private static final long ASK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    /** The name server's address is bound, but no process answers there. */
    private static final String NO_NAMES =
            "ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 10.99.0.1/24"
                + " dev v0 && ip link set v0 up && ip link set v1 up && ip neigh add 10.99.0.2"
                + " lladdr 02:00:00:00:00:05 dev v0 && echo nameserver 10.99.0.2 >\"$0\" && mount"
                + " --bind \"$0\" /etc/resolv.conf && ";

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Numbers numbers = new Numbers();
    private Path directory;

    @BeforeEach
    void choosePlace() {
        directory = DriverDirectory.uniquePath();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private Bus connect() {
        Bus bus =
                Bus.connect(
                        new BusContext()
                                .directoryName(directory.toString())
                                .driverTimeout(Duration.ofSeconds(60)));
        open.add(bus);
        return bus;
    }

    private void launch() {
        open.add(
                MediaDriver.launch(
                        DriverConfig.builder()
                                .directory(directory)
                                .lingerNs(TimeUnit.MILLISECONDS.toNanos(100))
                                .build()));
    }

    /** The longest term, up to 1 GiB, for which four logs fit. */
    private int longTerm() throws IOException {
        long usable = Files.getFileStore(directory.getParent()).getUsableSpace();
        return (int) Math.min(1 << 30, Long.highestOneBit(usable / 12));
    }

    /** Uses the driver like other clients; returns the longest stall of any operation. */
    private long longestWait(Bus bus, Supplier<CompletableFuture<?>> work) {
        Publication publication = bus.addExclusivePublication("verbus:ipc?term-length=64k", 1);
        Subscription subscription = bus.addSubscription("verbus:ipc", 1);
        Await.until("connected", publication::isConnected);
        CompletableFuture<?> until = work.get();
        long longestNs = 0;
        long heartbeat = 0;
        long beatenNs = System.nanoTime();
        long movedNs = beatenNs;
        long askedNs = beatenNs;
        long number = 0;
        while (!until.isDone()) {
            long nowNs = System.nanoTime();
            if (nowNs - askedNs > ASK_NS) { // each takes a counter, which cools down
                askedNs = nowNs;
                bus.addPublication("verbus:ipc?term-length=64k", 2).close();
                nowNs = System.nanoTime();
                longestNs = Math.max(longestNs, nowNs - askedNs);
            }
            long beat = Drivers.counter(bus, SystemCounter.HEARTBEAT);
            longestNs = Math.max(longestNs, nowNs - beatenNs);
            if (beat != heartbeat) {
                heartbeat = beat;
                beatenNs = nowNs;
            }
            longestNs = Math.max(longestNs, nowNs - movedNs);
            while (numbers.tryOffer(publication, number, 1000)) {
                number++;
                movedNs = nowNs;
            }
            while (subscription.poll((buffer, offset, length, header) -> {}, 1000) > 0) {
                // Reads everything, so that the limit may rise.
            }
        }
        assertFalse(bus.isClosed(), "the driver is lost");
        return longestNs;
    }

    private static void assertShort(long longestNs) {
        assertTrue(longestNs < MOST_NS, "a wait of " + longestNs / 1_000_000 + " ms");
    }

    @Test
    void gibibyteTermsDelayNoOtherClient() throws Exception {
        launch();
        String channel = "verbus:ipc?term-length=" + longTerm();
        Bus other = connect();
        Bus first = connect();
        Bus second = connect();
        List<CompletableFuture<Void>> added = new ArrayList<>();
        assertShort(
                longestWait(
                        other,
                        () -> {
                            for (Bus bus : List.of(first, second)) {
                                added.add(
                                        CompletableFuture.runAsync(
                                                () ->
                                                        bus.addExclusivePublication(channel, 3)
                                                                .close()));
                            }
                            return CompletableFuture.allOf(added.get(0), added.get(1));
                        }));
        added.get(0).get();
        added.get(1).get();
        assertShort(
                longestWait(
                        other,
                        () -> {
                            added.add(CompletableFuture.runAsync(() -> awaitFreed(first)));
                            return added.get(2);
                        }));
        added.get(2).get();
    }

    private static void awaitFreed(Bus bus) {
        Await.until(
                "freed", () -> Drivers.counter(bus, SystemCounter.LOG_BYTES) < SHORT_LOGS_BYTES);
    }

    @Test
    void cancelsPendingWorkOfClosedClient() throws Exception {
        launch();
        Bus other = connect();
        other.addSubscription("verbus:ipc", 1); // which makes the client known to the driver
        long before = Drivers.counter(other, SystemCounter.LOG_BYTES);
        Bus impatient =
                Bus.connect(
                        new BusContext()
                                .directoryName(directory.toString())
                                .driverTimeout(Duration.ofMillis(20)));
        String channel = "verbus:ipc?term-length=" + longTerm();
        String refusal =
                Drivers.refusal(
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                impatient.addExclusivePublication(channel, 3);
                            }
                        });
        assertTrue(refusal.contains("has not answered"), refusal);
        impatient.close();
        other.addSubscription("verbus:ipc", 1); // is answered after all earlier commands
        assertEquals(1, Drivers.counter(other, SystemCounter.CLIENTS));
        Await.until("all undone", () -> Drivers.counter(other, SystemCounter.LOG_BYTES) == before);
        assertEquals(0, Drivers.counter(other, SystemCounter.PUBLICATIONS));
    }

    @Test
    void silentNameServerDelaysOnlyItsClient() throws Exception {
        Path resolver = Files.createTempFile("verbus", ".resolv");
        open.add(() -> Files.delete(resolver));
        List<String> prefix =
                List.of("unshare", "-rmn", "sh", "-c", NO_NAMES + "exec \"$@\"", resolver + "");
        List<String> trial =
                List.of("unshare", "-rmn", "sh", "-c", NO_NAMES + "true", resolver.toString());
        Process possible = new ProcessBuilder(trial).inheritIO().start();
        Assumptions.assumeTrue(
                possible.waitFor() == 0,
                "no network namespace can be made here (unshare or ip is missing, or forbidden)");
        ChildProcess driver = ChildProcess.start(prefix, MediaDriver.class, "dir=" + directory);
        open.add(driver);
        driver.awaitLine("verbus driver ready");
        Bus other = connect();
        Bus asking = connect();
        CompletableFuture<String> refusal =
                CompletableFuture.supplyAsync(
                        () ->
                                Drivers.refusal(
                                        () ->
                                                asking.addPublication(
                                                        "verbus:udp?endpoint=no-such.example:40123",
                                                        1)));
        CompletableFuture<Publication> address =
                CompletableFuture.supplyAsync(
                        () -> asking.addPublication("verbus:udp?endpoint=127.0.0.1:40123", 1));
        assertEquals(1, address.get(30, TimeUnit.SECONDS).streamId());
        assertFalse(refusal.isDone(), "the name server has answered");
        assertShort(longestWait(other, () -> refusal));
        assertTrue(refusal.get().contains("'no-such.example' cannot be resolved"), refusal.get());
    }
}
