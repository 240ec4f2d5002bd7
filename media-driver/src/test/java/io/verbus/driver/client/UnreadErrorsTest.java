// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.FailedDriverTest;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.tools.Verbus;
import io.verbus.driver.transports.FailingTransport;
import io.verbus.driver.transports.FailingTransport.Part;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A slow error handler does not stop the driver. */
@Timeout(120)
class UnreadErrorsTest {
    private static final int MANY_ERRORS = 5_000;

    @TempDir private Path folder;

    /** More than the pipe and the driver's queue hold. */
    private static void awaitFlood(Path directory) {
        try (Bus bus = Bus.connect(new BusContext().directoryName(directory.toString()))) {
            long before = Drivers.counter(bus, SystemCounter.ERRORS);
            Await.until(
                    "more errors",
                    () -> Drivers.counter(bus, SystemCounter.ERRORS) > before + MANY_ERRORS);
            try (Subscription subscription = bus.addSubscription("aeron:ipc", 1);
                    Publication publication = bus.addPublication("aeron:ipc", 1)) {
                UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
                Await.until("sent", () -> publication.offer(message) > 0);
                Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
            }
        }
    }

    private static void assertBeats(Path directory) {
        try (CncFile cnc = CncFile.map(directory.resolve(CncFile.NAME))) {
            ManyToOneRingBuffer ring = new ManyToOneRingBuffer(cnc.toDriver());
            long before = ring.consumerHeartbeatTime();
            Await.until("a heartbeat", () -> ring.consumerHeartbeatTime() > before);
        }
    }

    @Test
    void driverContinuesWhileStandardErrorIsUnread() throws IOException {
        Path directory = folder.resolve("driver");
        try (ChildProcess driver =
                ChildProcess.startUnread(
                        FailingTransport.classPath(folder),
                        Verbus.class,
                        "driver",
                        "--dir=" + directory)) {
            driver.awaitLine("verbus driver ready");
            FailedDriverTest.trigger(directory, Part.FLOOD);
            awaitFlood(directory);
            assertBeats(directory);
            awaitFlood(directory);
            assertNotNull(driver.awaitErrorLine("was too slow to receive"));
            assertEquals(0, driver.terminate());
        }
    }

    @Test
    void processEndsWhileStandardErrorIsUnread() throws IOException {
        Path directory = folder.resolve("driver");
        try (ChildProcess driver =
                ChildProcess.startUnread(
                        FailingTransport.classPath(folder),
                        Verbus.class,
                        "driver",
                        "--dir=" + directory)) {
            driver.awaitLine("verbus driver ready");
            FailedDriverTest.trigger(directory, Part.FLOOD);
            awaitFlood(directory);
            assertEquals(0, driver.terminate());
        }
    }

    @Test
    void driverContinuesWhileHandlerBlocks() throws InterruptedException {
        CountDownLatch isBlocked = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (MediaDriver driver =
                MediaDriver.launch(
                        Drivers.config()
                                .threading(ThreadingMode.DEDICATED)
                                .directory(folder.resolve("embedded"))
                                .errorHandler(
                                        error -> {
                                            assertEquals(
                                                    "verbus-errors",
                                                    Thread.currentThread().getName());
                                            isBlocked.countDown();
                                            awaitUninterrupted(release);
                                        })
                                .build(),
                        List.of(new FailingTransport.Provider()))) {
            FailedDriverTest.trigger(driver.directory(), Part.FLOOD);
            isBlocked.await();
            awaitFlood(driver.directory());
            assertBeats(driver.directory());
            release.countDown();
        }
        assertTrue(release.getCount() == 0);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
