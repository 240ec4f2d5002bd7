// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

/**
 * Clients that write random data into the command ring: the driver survives, an honest client's
 * stream continues, and nothing remains of the hostile clients once they have timed out.
 */
class HostileCommandsTest {
    private static final int TO_CLIENTS = 16 * 1024 * 1024;
    private static final int CHECKED_EACH = 10_000;
    private static final long MAX_SILENCE_MS = 4000;
    private static final long HEAP_SLACK = 48L * 1024 * 1024;

    private final long seed = Long.getLong("verbus.seed", System.nanoTime());
    private MediaDriver driver;
    private CncFile cnc;
    private ManyToOneRingBuffer ring;
    private HonestStream honest;

    @BeforeEach
    void launch() {
        System.out.println("HostileCommandsTest verbus.seed " + seed);
        driver = MediaDriver.launchEmbedded(Drivers.config().toClientsLength(TO_CLIENTS));
        cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
        ring = new ManyToOneRingBuffer(cnc.toDriver());
        honest = new HonestStream(driver, "aeron:ipc", seed);
    }

    @AfterEach
    void close() {
        honest.close();
        cnc.close();
        driver.close();
    }

    private CountersReader counters() {
        return new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    private long system(SystemCounter counter) {
        return counters().getCounterValue(counter.ordinal());
    }

    /** Counters in use that a client owns, by type; a static one has no owner, and stays. */
    private TreeMap<Integer, Integer> owned() {
        TreeMap<Integer, Integer> count = new TreeMap<>();
        CountersReader counters = counters();
        counters.forEach(
                (id, type, key, label) -> {
                    if (counters.getCounterOwnerId(id) != -1) {
                        count.merge(type, 1, Integer::sum);
                    }
                });
        return count;
    }

    /** Counters that were freed and are not yet reused: they cool down, or are lost. */
    private int idle() {
        CountersReader counters = counters();
        int count = 0;
        for (int id = 0; id <= counters.maxCounterId(); id++) {
            boolean isFreed = counters.getCounterState(id) == CountersReader.RECORD_RECLAIMED;
            if (isFreed && counters.getFreeForReuseDeadline(id) != 0) {
                count++;
            }
        }
        return count;
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

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private void attack(int commands) {
        TreeMap<Integer, Integer> ownedBefore = owned();
        List<Long> resourcesBefore = resources();
        long heapBefore = heap();
        HostileCommands hostile = new HostileCommands(new Random(seed), ring);
        long taken = system(SystemCounter.COMMANDS);
        for (int i = 0; i < commands; i++) {
            hostile.write();
            if (i % CHECKED_EACH == 0) {
                long silenceMs = System.currentTimeMillis() - ring.consumerHeartbeatTime();
                assertTrue(silenceMs < MAX_SILENCE_MS, silenceMs + " ms without a heartbeat");
                honest.awaitProgress();
            }
        }
        Await.until("all read", () -> ring.consumerPosition() == ring.producerPosition());
        long carriedOut = system(SystemCounter.COMMANDS) - taken;
        long malformed = system(SystemCounter.COMMANDS_MALFORMED);
        System.out.println(carriedOut + " commands, " + malformed + " malformed");
        assertTrue(carriedOut > commands / 10 && malformed > commands / 10);
        Await.until(
                () -> "resources " + resourcesBefore + " again: " + resources(),
                60,
                () -> resources().equals(resourcesBefore));
        Await.until(
                () -> "counters " + ownedBefore + " again: " + owned(),
                60,
                () -> owned().equals(ownedBefore));
        Await.until(() -> idle() + " freed counters cannot be used", 60, () -> idle() == 0);
        long grown = heap() - heapBefore;
        assertTrue(grown < HEAP_SLACK, grown + " bytes of heap more than before");
        honest.awaitProgress();
        try (Bus bus = Drivers.connect(driver)) {
            bus.addSubscription("aeron:ipc", 5).close();
            bus.addPublication("aeron:ipc", 5).close();
        }
        System.out.println(
                commands + " hostile commands beside " + honest.received() + " messages");
        // The error log may be full; none of its entries is a defect of the driver itself.
        for (String error : Drivers.errors(driver)) {
            assertTrue(
                    !error.matches(".*(NullPointer|IndexOutOf|IllegalState|ClassCast|fcntl).*"),
                    error);
        }
        assertEquals(0, system(SystemCounter.CONDUCTOR_PROXY_FAILS));
    }

    @Test
    @Tag("slow")
    @Timeout(300)
    void leavesNoResourcesAfterFiftyThousandRandomCommands() {
        attack(50_000);
    }

    @Test
    @Tag("soak")
    @Timeout(3600)
    void leavesNoResourcesAfterTenMillionRandomCommands() {
        attack(10_000_000);
    }
}
