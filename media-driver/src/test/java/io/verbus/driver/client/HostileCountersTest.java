// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.metrics.Exposition;
import io.verbus.driver.tools.ToolRun;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A client writes random data into the values of its streams' counters, and into the metadata of
 * any counter: the driver, other clients' streams and the operator's tools continue.
 */
class HostileCountersTest {
    private static final int STREAM = 5;
    private static final int WRITES = 40;
    private static final long MAX_SILENCE_MS = 4000;

    private final long seed = Long.getLong("verbus.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private MediaDriver driver;
    private CncFile cnc;
    private CountersReader counters;
    private ManyToOneRingBuffer ring;
    private HonestStream honest;
    private HonestStream honestByUdp;
    private Bus bus;
    private final Set<Integer> heartbeats = new HashSet<>();
    private final List<Integer> others = new ArrayList<>();

    @BeforeEach
    void launch() throws IOException {
        System.out.println("HostileCountersTest verbus.seed " + seed);
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .threading(ThreadingMode.DEDICATED)
                                .transportOption("udp.image-timeout", "1s")
                                .transportOption("udp.connection-timeout", "1s")
                                .transportOption("udp.linger", "100ms"));
        cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
        counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
        ring = new ManyToOneRingBuffer(cnc.toDriver());
        honest = new HonestStream(driver, "aeron:ipc", seed);
        honestByUdp = new HonestStream(driver, udp(), seed);
        bus = Bus.connect(Drivers.context(driver).errorHandler(error -> {}));
        bus.addSubscription("aeron:ipc", STREAM + 1).close(); // the driver knows the client
        Await.until("three clients", () -> system(SystemCounter.CLIENTS) == 3);
        Await.until("closed", () -> system(SystemCounter.SUBSCRIPTIONS) == 2);
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == CounterTypes.CLIENT_HEARTBEAT) {
                        heartbeats.add(id);
                        long then = counters.getCounterValue(id);
                        Await.until("beats", () -> counters.getCounterValue(id) > then);
                    } else {
                        others.add(id);
                    }
                });
    }

    @AfterEach
    void close() {
        Drivers.errors(driver).forEach(error -> System.out.println("error log: " + error));
        bus.close();
        honestByUdp.close();
        honest.close();
        cnc.close();
        driver.close();
    }

    private static String udp() throws IOException {
        return "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    private long system(SystemCounter counter) {
        return counters.getCounterValue(counter.ordinal());
    }

    private List<Long> resources() {
        List<Long> all = new ArrayList<>();
        for (SystemCounter each :
                List.of(
                        SystemCounter.CLIENTS,
                        SystemCounter.PUBLICATIONS,
                        SystemCounter.SUBSCRIPTIONS,
                        SystemCounter.IMAGES,
                        SystemCounter.LOG_BYTES)) {
            all.add(system(each));
        }
        return all;
    }

    /**
     * Counters of the hostile client's streams. Heartbeats are spared: writing them may end any
     * client.
     */
    private List<Integer> own() {
        List<Integer> ids = new ArrayList<>();
        for (int id = 0; id < counters.maxCounterId(); id++) {
            if (counters.getCounterOwnerId(id) == bus.clientId() && !heartbeats.contains(id)) {
                ids.add(id);
            }
        }
        return ids;
    }

    private int any(List<Integer> ids) {
        return ids.get(random.nextInt(ids.size()));
    }

    private long value() {
        return switch (random.nextInt(6)) {
            case 0 -> random.nextLong();
            case 1 -> random.nextInt(256 * 1024);
            case 2 -> random.nextInt(256 * 1024) & ~31;
            case 3 -> -random.nextInt(1000);
            case 4 -> Long.MAX_VALUE - random.nextInt(64);
            default -> Long.MIN_VALUE + random.nextInt(64);
        };
    }

    private void spoilValue(int id) {
        cnc.counterValues().putLongRelease(CountersReader.counterOffset(id), value());
    }

    private void spoilMetadata(int id) {
        UnsafeBuffer metadata = cnc.counterMetadata();
        int at = CountersReader.metaDataOffset(id);
        switch (random.nextInt(6)) {
            case 0 -> metadata.putIntRelease(at, random.nextInt(5) - 2); // state
            case 1 -> metadata.putInt(at + CountersReader.TYPE_ID_OFFSET, random.nextInt(20));
            case 2 ->
                    metadata.putLong(
                            at + CountersReader.FREE_FOR_REUSE_DEADLINE_OFFSET,
                            random.nextBoolean() ? 0 : random.nextLong());
            case 3 -> // key
                    metadata.putLong(
                            at + CountersReader.KEY_OFFSET + 8 * random.nextInt(14),
                            random.nextLong());
            case 4 ->
                    metadata.putInt(
                            at + CountersReader.LABEL_OFFSET,
                            random.nextBoolean() ? random.nextInt() : random.nextInt(600) - 100);
            default -> // label
                    metadata.putLong(
                            at + CountersReader.LABEL_OFFSET + 4 + 8 * random.nextInt(47),
                            random.nextLong());
        }
    }

    private void attack(int rounds, boolean isOfValues) throws IOException {
        List<Long> before = resources();
        for (int round = 0; round < rounds; round++) {
            spoilOneStream(round % 2 == 0 ? "aeron:ipc" : udp(), isOfValues);
            long silenceMs = System.currentTimeMillis() - ring.consumerHeartbeatTime();
            assertTrue(silenceMs < MAX_SILENCE_MS, silenceMs + " ms without a heartbeat");
            honest.awaitProgress();
            honestByUdp.awaitProgress();
        }
        for (String tool : List.of("stat", "streams")) {
            ToolRun run = ToolRun.of(tool, "--dir", driver.directory().toString());
            assertEquals(0, run.status(), tool + ": " + run.err());
            run = ToolRun.of(tool, "--json", "--dir", driver.directory().toString());
            assertEquals(0, run.status(), tool + ": " + run.err());
        }
        ToolRun metrics = ToolRun.of("metrics", "--dir", driver.directory().toString());
        assertEquals(0, metrics.status(), metrics.err());
        assertEquals("1", new Exposition(metrics.out()).value("verbus_up"));
        Await.until(
                () -> "resources " + before + " again: " + resources(),
                60,
                () -> resources().equals(before));
        for (String error : Drivers.errors(driver)) {
            assertTrue(!error.matches(".*java\\.lang\\..*"), error);
        }
        try (Subscription subscription = bus.addSubscription("aeron:ipc", STREAM + 1);
                Publication publication = bus.addPublication("aeron:ipc", STREAM + 1)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
        }
    }

    private void spoilOneStream(String channel, boolean isOfValues) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[500]);
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM)) {
            Await.until(
                    () -> "joined; errors " + Drivers.errors(driver),
                    20,
                    () -> subscription.imageCount() == 1 && publication.isConnected());
            List<Integer> own = own();
            for (int i = 0; i < WRITES; i++) {
                int id = any(own);
                if (isOfValues) {
                    spoilValue(id);
                } else {
                    spoilMetadata(random.nextInt(4) == 0 ? any(others) : id);
                }
                try {
                    publication.offer(message);
                    subscription.poll((b, o, l, h) -> {}, 10);
                    if (i % 8 == 0) {
                        Thread.sleep(1); // lets the driver's agents run
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                } catch (RuntimeException e) {
                    // The hostile client's own thread: it may fail in any way except a fault of the
                    // JVM.
                }
            }
        }
    }

    @Test
    @Tag("slow")
    @Timeout(120)
    void survivesRandomValuesOfOneHundredStreams() throws IOException {
        attack(100, true);
    }

    @Test
    @Tag("slow")
    @Timeout(120)
    void survivesRandomMetadataOfOneHundredStreams() throws IOException {
        attack(100, false);
    }

    @Test
    @Tag("soak")
    @Timeout(1800)
    void survivesRandomValuesOfThreeThousandStreams() throws IOException {
        attack(3000, true);
    }

    @Test
    @Tag("soak")
    @Timeout(1800)
    void survivesRandomMetadataOfThreeThousandStreams() throws IOException {
        attack(3000, false);
    }
}
