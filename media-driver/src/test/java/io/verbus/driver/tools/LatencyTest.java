// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Reading;
import io.verbus.cnc.LatencyHop;
import io.verbus.directory.DirectoryTrust;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.testing.LossyRelay;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A delay shows in the hop where it is, and in no other. The machine may be busy, so each delay is
 * repeated until it shows, and undelayed hops are judged by their median.
 */
@Timeout(180)
class LatencyTest {
    private static final long DELAY_NS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final int EXCHANGES = 50;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[100]);

    private static DriverConfigBuilder config() {
        return Drivers.config()
                .latencySamplesPerSecond(100_000)
                .transportOption("udp.status-interval", "1ms");
    }

    private static LatencyFile map(MediaDriver driver) {
        return LatencyFile.map(driver.directory().resolve(LatencyFile.NAME), DirectoryTrust.OWN);
    }

    private static Reading reading(LatencyFile file, LatencyHop hop) {
        return file.read().stream()
                .filter(each -> each.owner().hop() == hop)
                .findFirst()
                .orElseThrow();
    }

    private static long samples(LatencyFile file, LatencyHop hop) {
        return reading(file, hop).most().count();
    }

    /** Sends one message, waits for a time, and reads it. */
    private void exchange(Publication out, Subscription in, long delayNs) {
        Await.until("room", () -> out.offer(message) > 0);
        long startNs = System.nanoTime();
        Await.until("the time to pass", () -> System.nanoTime() - startNs >= delayNs);
        Await.until("the message", () -> in.poll((b, o, l, h) -> {}, 1) > 0);
    }

    private static void assertShort(LatencyFile file, LatencyHop hop) {
        long least = reading(file, hop).least().at(50);
        assertTrue(least < DELAY_NS / 2, hop + " takes " + least + " ns");
    }

    /** Whether a hop has certainly taken the delay, less a tenth. */
    private static boolean isSeen(LatencyFile file, LatencyHop hop) {
        return reading(file, hop).least().max() >= DELAY_NS * 9 / 10;
    }

    @Test
    void attributesSlowSubscriberToIpcConsumption() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                LatencyFile file = map(driver);
                Bus bus = Drivers.connect(driver);
                Subscription in = bus.addSubscription("verbus:ipc", 1);
                Publication out = bus.addPublication("verbus:ipc", 1)) {
            Await.until("connected", () -> out.isConnected() && in.isConnected());
            Await.until(
                    "samples",
                    () -> {
                        exchange(out, in, 0);
                        return samples(file, LatencyHop.CONSUMPTION) >= EXCHANGES;
                    });
            assertShort(file, LatencyHop.CONSUMPTION);
            Await.until(
                    "the delay",
                    () -> {
                        exchange(out, in, DELAY_NS);
                        return isSeen(file, LatencyHop.CONSUMPTION);
                    });
            String json =
                    ToolRun.of("latency", "--dir", driver.directory().toString(), "--json").out();
            assertTrue(json.contains("\"last\": \"subscriber " + in.registrationId() + '"'), json);
        }
    }

    @Test
    void attributesUdpDelaysToTheirHops() throws IOException {
        int port = UdpInteropTest.freePort();
        try (LossyRelay relay = new LossyRelay(1, 0, port);
                MediaDriver driver = MediaDriver.launchEmbedded(config());
                LatencyFile file = map(driver);
                Bus bus = Drivers.connect(driver)) {
            Thread relaying = Thread.ofPlatform().start(() -> relay(relay));
            try (Subscription in = bus.addSubscription(udp(port), 1);
                    ExclusivePublication out = bus.addExclusivePublication(udp(relay.port()), 1)) {
                Await.until("connected", () -> out.isConnected() && in.isConnected());
                Await.until(
                        "samples",
                        () -> {
                            exchange(out, in, 0);
                            return samples(file, LatencyHop.SUBSCRIBER) >= EXCHANGES
                                    && samples(file, LatencyHop.ROUND_TRIP) >= EXCHANGES;
                        });
                for (LatencyHop hop :
                        new LatencyHop[] {
                            LatencyHop.SENDER, LatencyHop.ROUND_TRIP, LatencyHop.SUBSCRIBER
                        }) {
                    assertShort(file, hop);
                }
                relay.delay(DELAY_NS / 2);
                Await.until("the wire's delay", () -> isSeen(file, LatencyHop.ROUND_TRIP));
                Reading before = reading(file, LatencyHop.SUBSCRIBER);
                Await.until(
                        "samples over the delayed wire",
                        () -> {
                            exchange(out, in, 0);
                            return samples(file, LatencyHop.SUBSCRIBER)
                                    >= before.most().count() + EXCHANGES / 2;
                        });
                long least =
                        reading(file, LatencyHop.SUBSCRIBER).least().since(before.least()).at(50);
                assertTrue(least < DELAY_NS / 2, "the subscriber takes " + least + " ns");
                assertShort(file, LatencyHop.SENDER);

                relay.delay(0);
                Reading trips = reading(file, LatencyHop.ROUND_TRIP);
                Await.until(
                        "the subscriber's delay",
                        () -> {
                            exchange(out, in, 2 * DELAY_NS);
                            return reading(file, LatencyHop.SUBSCRIBER).least().max()
                                            >= 2 * DELAY_NS * 9 / 10
                                    && samples(file, LatencyHop.ROUND_TRIP)
                                            >= trips.most().count() + EXCHANGES;
                        });
                long trip =
                        reading(file, LatencyHop.ROUND_TRIP).least().since(trips.least()).at(50);
                assertTrue(trip < DELAY_NS / 2, "the round trip takes " + trip + " ns");
                assertShort(file, LatencyHop.SENDER);
            } finally {
                relaying.interrupt();
                join(relaying);
            }
        }
    }

    private static void relay(LossyRelay relay) {
        while (!Thread.currentThread().isInterrupted()) {
            relay.poll();
            LockSupport.parkNanos(1000);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String udp(int port) {
        return "verbus:udp?endpoint=127.0.0.1:" + port;
    }

    /** Runs a driver without threads, unless it is stalled, and closes it. */
    private static final class Invoker implements AutoCloseable {
        private final Thread thread;
        private volatile boolean isStalled;
        private volatile boolean hasStalled;
        private volatile boolean isClosing;

        Invoker(MediaDriver driver) {
            thread = Thread.ofPlatform().start(() -> run(driver));
        }

        private void run(MediaDriver driver) {
            while (!isClosing) {
                hasStalled = isStalled;
                if (!isStalled && driver.invoker().invoke() == 0) {
                    LockSupport.parkNanos(1000);
                }
            }
            driver.close();
        }

        void stall(boolean stalls) {
            isStalled = stalls;
            Await.until("the driver to stall or go on", () -> hasStalled == stalls);
        }

        @Override
        public void close() {
            isClosing = true;
            join(thread);
        }
    }

    @Test
    void attributesSenderStallToItsHop() throws IOException {
        String channel = udp(UdpInteropTest.freePort());
        try (MediaDriver receiving = MediaDriver.launchEmbedded(config());
                Bus receiver = Drivers.connect(receiving);
                Subscription in = receiver.addSubscription(channel, 1)) {
            MediaDriver sending =
                    MediaDriver.launchEmbedded(config().threading(ThreadingMode.INVOKER));
            Invoker invoker = new Invoker(sending);
            try (LatencyFile file = map(sending);
                    Bus sender = Drivers.connect(sending);
                    ExclusivePublication out = sender.addExclusivePublication(channel, 1)) {
                Await.until("connected", () -> out.isConnected() && in.isConnected());
                Await.until(
                        "samples",
                        () -> {
                            exchange(out, in, 0);
                            return samples(file, LatencyHop.SUBSCRIBER) >= EXCHANGES
                                    && samples(file, LatencyHop.ROUND_TRIP) >= EXCHANGES;
                        });
                Await.until(
                        "the sender's delay",
                        () -> {
                            invoker.stall(true);
                            assertTrue(out.offer(message) > 0);
                            long startNs = System.nanoTime();
                            Await.until(
                                    "the time to pass",
                                    () -> System.nanoTime() - startNs >= DELAY_NS);
                            invoker.stall(false);
                            Await.until("the message", () -> in.poll((b, o, l, h) -> {}, 1) > 0);
                            return reading(file, LatencyHop.SENDER).most().max() >= DELAY_NS;
                        });
                assertShort(file, LatencyHop.ROUND_TRIP);
                assertShort(file, LatencyHop.SUBSCRIBER);
            } finally {
                invoker.close();
            }
        }
    }

    @Test
    void commandPrintsTableHistogramsAndPage() throws IOException {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                LatencyFile file = map(driver);
                Bus bus = Drivers.connect(driver);
                Subscription in = bus.addSubscription("verbus:ipc", 1234);
                Publication out = bus.addPublication("verbus:ipc", 1234)) {
            Await.until("connected", () -> out.isConnected() && in.isConnected());
            Await.until(
                    "samples",
                    () -> {
                        exchange(out, in, 0);
                        return samples(file, LatencyHop.CONSUMPTION) >= EXCHANGES;
                    });
            String folder = driver.directory().toString();
            ToolRun table = ToolRun.of("latency", "--dir", folder, "--once");
            assertEquals(0, table.status(), table.err());
            assertTrue(table.out().contains(" 1234 "), table.out());
            assertTrue(table.out().contains("consumption"), table.out());
            ToolRun live =
                    ToolRun.of(
                            "latency",
                            "--dir",
                            folder,
                            "--live",
                            "--interval",
                            "50ms",
                            "--count",
                            "2");
            assertEquals(1, live.out().split("last interval", -1).length - 1, live.out());
            assertTrue(
                    live.out().indexOf("since each stream") < live.out().indexOf("last interval"),
                    live.out());
            String json = ToolRun.of("latency", "--dir", folder, "--json").out();
            assertFalse(json.contains("interval-"), json);
            ToolRun histograms = ToolRun.of("latency", "--dir", folder, "--hgrm");
            assertTrue(histograms.out().contains("# stream 1234 session "), histograms.out());
            assertTrue(histograms.out().contains("#[Mean "), histograms.out());
            Path page = driver.directory().resolveSibling("latency-test.html");
            try {
                ToolRun html =
                        ToolRun.of(
                                "latency",
                                "--dir",
                                folder,
                                "--html",
                                page.toString(),
                                "--interval",
                                "50ms",
                                "--count",
                                "3");
                assertEquals(0, html.status(), html.err());
                assertTrue(Files.readString(page).contains("<polyline"));
            } finally {
                Files.deleteIfExists(page);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --json --hgrm | --json cannot be combined with --hgrm: omit one of them
                    --json --html target/a.html | --json cannot be combined with --html
                    --hgrm --live | --hgrm cannot be combined with --live
                    --once --live | --once cannot be combined with --live: omit one of them
                    --live --html target/a.html | --live cannot be combined with --html
                    --once --count 5 | --once prints one sample: omit --count
                    --hgrm --interval 1s | --hgrm prints one sample: omit --interval
                    --json --interval 2s | only one sample is printed: add --live, or omit --interval
                    --html /nowhere/a.html | cannot write --html /nowhere/a.html
                    """)
    void rejectsOptionsThatItWouldIgnore(String options, String error) {
        ToolRun run = ToolRun.of("latency", options.split(" "));
        assertNotEquals(0, run.status());
        assertTrue(run.err().contains(error), run.err());
    }

    @Test
    void writesPageOfSamplesUntilInterrupted() throws Exception {
        try (MediaDriver driver = MediaDriver.launchEmbedded(config());
                Bus bus = Drivers.connect(driver);
                Publication out = bus.addPublication("verbus:ipc", 1234)) {
            Path page = driver.directory().resolveSibling("latency-cut-test.html");
            try {
                // A signal before the first sample leaves no page: the next one comes later.
                long waitNs = 0;
                while (!isWritten(driver, page, waitNs)) {
                    waitNs += TimeUnit.MILLISECONDS.toNanos(500);
                }
                for (int i = 0; i < 3; i++) {
                    Files.delete(page);
                    waitNs += TimeUnit.MILLISECONDS.toNanos(500);
                    assertTrue(isWritten(driver, page, waitNs), "after a sample, each signal does");
                }
                String text = Files.readString(page);
                assertTrue(text.contains("<p>Interrupted after "), text);
                assertTrue(text.contains(" of 1000000 samples"), text);
                assertFalse(out.isClosed());
            } finally {
                Files.deleteIfExists(page);
            }
        }
    }

    /** Ends the command with a signal, some time after it has mapped the file. */
    private static boolean isWritten(MediaDriver driver, Path page, long waitNs)
            throws IOException, InterruptedException {
        List<String> command =
                ToolRun.commandLine(
                        "latency",
                        "--dir",
                        driver.directory().toString(),
                        "--interval",
                        "50ms",
                        "--count",
                        "1000000",
                        "--html",
                        page.toString());
        Process latency = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            Await.until(
                    "the command to map the latency file",
                    () -> maps(latency.pid(), LatencyFile.NAME));
            long startNs = System.nanoTime();
            Await.until("the time to pass", () -> System.nanoTime() - startNs >= waitNs);
            latency.destroy();
            assertTrue(latency.waitFor(30, TimeUnit.SECONDS));
        } finally {
            latency.destroyForcibly().waitFor();
        }
        return Files.exists(page);
    }

    private static boolean maps(long pid, String file) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/maps")).contains(file);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void explainsHowToEnableSampling() {
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config())) {
            assertFalse(Files.exists(driver.directory().resolve(LatencyFile.NAME)));
            ToolRun run = ToolRun.of("latency", "--dir", driver.directory().toString());
            assertEquals(1, run.status());
            assertTrue(run.err().contains("--latency-samples-per-second"), run.err());
        }
    }
}
