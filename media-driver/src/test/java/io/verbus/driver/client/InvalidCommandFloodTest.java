// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.share.Share;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A client that sends invalid commands takes only a bounded part of the error log and of standard
 * error.
 */
@Timeout(300)
class InvalidCommandFloodTest {
    private static final int COMMANDS = 9000;
    private static final int MOST_ENTRIES = 50;

    private final long seed = Long.getLong("verbus.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Throwable> lines = Collections.synchronizedList(new ArrayList<>());
    private final MediaDriver driver =
            MediaDriver.launchEmbedded(
                    Drivers.config()
                            .clientLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(60))
                            .toClientsLength(16 * 1024 * 1024)
                            .errorLogLength(64 * 1024)
                            .share(Share.SUBSCRIPTIONS, 100)
                            .share(Share.LOG_BYTES, 1024 * 1024)
                            .errorHandler(lines::add));
    private final RawClient client = new RawClient(driver);

    @AfterEach
    void close() {
        client.close();
        driver.close();
    }

    private void writeSenseless(int count) {
        long any = random.nextLong() & Long.MAX_VALUE;
        switch (count % 9) {
            case 0 -> client.junk(100 + count, client.id(), any, 16 + random.nextInt(100));
            case 1 -> client.junk(1 + random.nextInt(18), client.id(), any, random.nextInt(16));
            case 2 -> client.addSubscription("aeron:udp?endpoint=127.0.0.1:" + (70_000 + count), 1);
            case 3 -> client.addPublication("aeron:no-media-" + count, count);
            case 4 -> client.about(1 + random.nextInt(10) / 2 * 5, client.id(), any, count);
            case 5 -> client.rejectImage(client.id(), client.nextId(), any);
            case 6 -> client.addSubscription(client.id(), -any, count, "aeron:ipc");
            case 7 -> client.addSubscription("aeron:ipc?alias=" + count, count);
            default ->
                    client.addPublication(
                            "aeron:ipc?term-length=1g|alias=" + "x".repeat(count % 3000), 1);
        }
        client.poll();
    }

    @Test
    void floodFillsOnlyPartOfErrorLog() {
        for (int i = 0; i < COMMANDS; i++) {
            writeSenseless(i);
        }
        client.awaitRead();
        List<String> errors = Drivers.errors(driver);
        assertTrue(errors.size() < MOST_ENTRIES, seed + ": " + errors.size() + " entries");
        assertTrue(lines.size() < MOST_ENTRIES, seed + ": " + lines.size() + " lines");
        try (Bus bus = Drivers.connect(driver)) {
            assertTrue(
                    Drivers.counter(bus, SystemCounter.COMMANDS_MALFORMED)
                                    + Drivers.counter(bus, SystemCounter.COMMANDS_FAILED)
                            > COMMANDS / 2);
            String refusal =
                    Drivers.refusal(
                            () -> {
                                for (int i = 0; i < 100; i++) {
                                    bus.addSubscription("aeron:ipc", 1);
                                }
                            });
            Await.until(
                    "one entry of: " + refusal,
                    () ->
                            Drivers.errors(driver).stream()
                                            .filter(each -> each.contains(refusal))
                                            .count()
                                    == 1);
        }
    }
}
