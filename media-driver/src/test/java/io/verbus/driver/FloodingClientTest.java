// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.client.RawClient;
import io.verbus.driver.command.EventTransmitter;
import io.verbus.driver.share.Share;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that floods the driver with commands and reads no answers, beside a slow honest one: the
 * honest client misses no event, and each of its commands is executed in time.
 */
@Timeout(120)
class FloodingClientTest {
    private static final long SLOW_NS = EventTransmitter.FOLLOWED_NS / 4;
    private static final long FLOOD_NS = TimeUnit.SECONDS.toNanos(4);
    private static final long MOST_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int SUBSCRIPTIONS = 2000;

    /** Commands of the flooding client. */
    private enum Flood {
        /** Each gets an error text as answer. */
        REFUSED(RawClient.REMOVE_SUBSCRIPTION, 24),

        /** Each is announced to all clients, until there are too many. */
        COUNTERS(RawClient.ADD_COUNTER, 28),

        /** Commands of clients that the driver does not know. */
        STRANGE(RawClient.REMOVE_SUBSCRIPTION, 24);

        private final int typeId;
        private final int length;

        Flood(int typeId, int length) {
            this.typeId = typeId;
            this.length = length;
        }
    }

    private final AtomicLong sent = new AtomicLong();
    private MediaDriver driver;
    private CncFile cnc;
    private RawClient honest;
    private volatile boolean isOver;
    private Thread flooding;
    private long readNs;

    private void launch(int livenessSeconds) {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .clientLivenessTimeoutNs(
                                        TimeUnit.SECONDS.toNanos(livenessSeconds)));
        cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
        honest = new RawClient(driver, () -> {}); // which reads without a pause
        readNs = System.nanoTime();
    }

    private void flood(Flood flood) {
        ManyToOneRingBuffer ring = new ManyToOneRingBuffer(cnc.toDriver());
        flooding = Thread.ofPlatform().start(() -> flood(flood, ring, ring.nextCorrelationId()));
    }

    private void flood(Flood flood, ManyToOneRingBuffer ring, long client) {
        UnsafeBuffer command = new UnsafeBuffer(new byte[64]);
        while (!isOver) {
            long id = ring.nextCorrelationId();
            command.putLong(0, flood == Flood.STRANGE ? id : client);
            command.putLong(8, id);
            if (ring.write(flood.typeId, command, 0, flood.length)) {
                sent.incrementAndGet();
            }
        }
    }

    private void endFlood() throws InterruptedException {
        isOver = true;
        if (flooding != null) {
            flooding.join();
        }
    }

    @AfterEach
    void close() throws InterruptedException {
        endFlood();
        try {
            honest.take();
        } catch (IllegalStateException overrun) {
            // The machine stalled: only what the test has read counts.
        }
        honest.close();
        cnc.close();
        driver.close();
    }

    /** Reads the events; fails if it was overrun, unless this machine stalled. */
    private List<RawClient.Event> read() {
        long stoodNs = System.nanoTime() - readNs;
        try {
            List<RawClient.Event> events = honest.take();
            readNs = System.nanoTime();
            return events;
        } catch (IllegalStateException overrun) {
            String still = "overrun after it stood still for " + stoodNs / 1_000_000 + " ms";
            Assumptions.assumeTrue(stoodNs < EventTransmitter.FOLLOWED_NS, still);
            throw new AssertionError(still, overrun);
        }
    }

    /** Reads the events after a stall. */
    private RawClient.Event answer(long correlationId) {
        RawClient.Event[] found = new RawClient.Event[1];
        long startNs = System.nanoTime();
        Await.until(
                "an answer",
                () -> {
                    LockSupport.parkNanos(SLOW_NS);
                    for (RawClient.Event each : read()) {
                        found[0] = each.correlationId() == correlationId ? each : found[0];
                    }
                    return found[0] != null;
                });
        long takenNs = System.nanoTime() - startNs;
        assertTrue(takenNs < MOST_NS, takenNs + " ns");
        return found[0];
    }

    @ParameterizedTest
    @EnumSource
    void servesHonestClientDuringFlood(Flood flood) {
        launch(60);
        if (flood == Flood.STRANGE) {
            // Clients that the driver does not know yet share the room that this flood fills.
            assertFalse(answer(honest.addSubscription("aeron:ipc", 0)).isError());
        }
        flood(flood);
        long startNs = System.nanoTime();
        int count = 0;
        while (System.nanoTime() - startNs < FLOOD_NS) {
            long added = honest.addSubscription("aeron:ipc", count++);
            assertFalse(answer(added).isError());
            long removed = honest.nextId();
            honest.about(RawClient.REMOVE_SUBSCRIPTION, honest.id(), removed, added);
            assertFalse(answer(removed).isError());
        }
        assertTrue(sent.get() > 10_000, "a flood of " + sent);
    }

    /** One command, or the end of a client, causes thousands of events. */
    @Test
    void deliversAllEventsOfOneCommand() {
        launch(60);
        RawClient greedy = new RawClient(driver);
        for (int i = 0; i < SUBSCRIPTIONS; i++) {
            assertFalse(greedy.answer(greedy.addSubscription("aeron:ipc", 1)).isError());
            read();
        }
        for (int i = 0; i < 10; i++) {
            greedy.addPublication("aeron:ipc?term-length=64k", 1);
        }
        assertFalse(answer(honest.addSubscription("aeron:ipc", 2)).isError());
        greedy.close();
        assertFalse(answer(honest.addSubscription("aeron:ipc", 3)).isError());
        Await.until(
                "all undone",
                () -> {
                    LockSupport.parkNanos(SLOW_NS);
                    read();
                    return driver.shares().all(Share.SUBSCRIPTIONS) == 2;
                });
    }

    @Test
    void timesOutSilentClientDuringFlood() {
        launch(2);
        long silent = honest.nextId();
        honest.addSubscription(silent, honest.nextId(), 1, "aeron:ipc");
        flood(Flood.STRANGE);
        CountersReader counters = honest.counters();
        Await.until(
                "given up",
                () -> {
                    read();
                    honest.ofClient(RawClient.KEEPALIVE, honest.id());
                    return counters.getCounterValue(SystemCounter.CLIENTS_TIMED_OUT.ordinal()) > 0;
                });
    }
}
