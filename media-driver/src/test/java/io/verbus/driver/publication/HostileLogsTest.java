// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.client.HonestStream;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A client corrupts the logs that it maps while the driver sends them and subscribers read them:
 * only its own streams suffer.
 */
class HostileLogsTest {
    private static final int STREAM = 5;
    private static final int WRITES = 60;
    private static final long MAX_SILENCE_MS = 4000;

    private final long seed = Long.getLong("verbus.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final AtomicLong isRefused = new AtomicLong();
    private MediaDriver driver;
    private CncFile cnc;
    private ManyToOneRingBuffer ring;
    private HonestStream honest;
    private HonestStream honestByUdp;
    private Bus bus;
    private int delivered;
    private int closed;

    @BeforeEach
    void launch() throws IOException {
        System.out.println("HostileLogsTest verbus.seed " + seed);
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .threading(ThreadingMode.DEDICATED)
                                .unblockTimeoutNs(6_000_000_000L)
                                .transportOption("udp.image-timeout", "1s")
                                .transportOption("udp.connection-timeout", "1s")
                                .transportOption("udp.linger", "100ms"));
        cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
        ring = new ManyToOneRingBuffer(cnc.toDriver());
        honest = new HonestStream(driver, "aeron:ipc", seed);
        honestByUdp = new HonestStream(driver, udp(), seed);
        bus =
                Bus.connect(
                        Drivers.context(driver).errorHandler(error -> isRefused.incrementAndGet()));
    }

    @AfterEach
    void close() {
        bus.close();
        honestByUdp.close();
        honest.close();
        cnc.close();
        driver.close();
    }

    private static String udp() throws IOException {
        return "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    private void attack(int rounds) throws IOException {
        CountersReader counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
        Set<Path> spared = Drivers.logs(driver);
        for (int round = 0; round < rounds; round++) {
            spoilOneStream(spared, round % 2 == 0 ? "aeron:ipc" : udp(), round % 4 < 2);
            long silenceMs = System.currentTimeMillis() - ring.consumerHeartbeatTime();
            assertTrue(silenceMs < MAX_SILENCE_MS, silenceMs + " ms without a heartbeat");
            honest.awaitProgress();
            honestByUdp.awaitProgress();
        }
        System.out.println(
                rounds
                        + " logs spoiled: "
                        + delivered
                        + " messages delivered all the same, "
                        + closed
                        + " times refused, "
                        + isRefused.get()
                        + " errors told, driver's errors "
                        + counters.getCounterValue(SystemCounter.ERRORS.ordinal()));
        for (String error : Drivers.errors(driver)) {
            System.out.println("error log: " + error);
        }
        Await.until(
                () -> "logs freed: " + Drivers.logs(driver).size() + " for " + spared.size(),
                60,
                () -> Drivers.logs(driver).equals(spared));
        for (String error : Drivers.errors(driver)) {
            assertTrue(!error.matches(".*java\\.lang\\..*"), error);
        }
        // Another stream, from its first message.
        try (Subscription subscription = bus.addSubscription("aeron:ipc", STREAM + 1);
                Publication publication = bus.addPublication("aeron:ipc", STREAM + 1)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
        }
    }

    private void spoilOneStream(Set<Path> spared, String channel, boolean isExclusive) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[500]);
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                Publication publication =
                        isExclusive
                                ? bus.addExclusivePublication(channel, STREAM)
                                : bus.addPublication(channel, STREAM)) {
            Await.until(
                    "joined", () -> subscription.imageCount() == 1 && publication.isConnected());
            for (int i = random.nextInt(200); i >= 0; i--) {
                publication.offer(message);
                poll(subscription);
            }
            Set<Path> own = Drivers.logs(driver);
            own.removeAll(spared);
            Path chosen = own.stream().skip(random.nextInt(own.size())).findFirst().orElseThrow();
            try (LogBuffers log = LogBuffers.map(chosen, false)) {
                HostileLogWriter writer = new HostileLogWriter(random, log);
                for (int i = 0; i < WRITES; i++) {
                    writer.write();
                    offer(publication, message);
                    poll(subscription);
                    if (i % 8 == 0) {
                        Thread.sleep(1); // the driver's agents take their turns
                    }
                }
            } catch (BusException e) {
                closed++; // freed in the meantime
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The hostile client's own thread: it may fail in any way except a fault of the JVM. */
    private void offer(Publication publication, UnsafeBuffer message) {
        try {
            publication.offer(message);
        } catch (RuntimeException e) {
            closed++;
        }
    }

    private void poll(Subscription subscription) {
        try {
            delivered += subscription.poll((b, o, l, h) -> assertTrue(l >= 0 && o >= 32), 10);
        } catch (InvalidFrameException e) {
            closed++;
        }
    }

    @Test
    @Tag("slow")
    @Timeout(300)
    void twoHundredCorruptLogsHarmNoOtherStream() throws IOException {
        attack(200);
    }

    @Test
    @Tag("soak")
    @Timeout(3600)
    void fiveThousandCorruptLogsHarmNoOtherStream() throws IOException {
        attack(5000);
    }
}
