// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.cluster;

import static io.verbus.codecs.marketdata.Side.BUY;
import static io.verbus.codecs.marketdata.Side.SELL;
import static io.verbus.codecs.marketdata.TimeInForce.DAY;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.verbus.driver.MediaDriver;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.SplittableRandom;

/** A snapshot through a log of the driver, as the archive records and replays it. */
@Timeout(60)
class EngineSnapshotTest {
    private static final String CHANNEL = "aeron:ipc?term-length=1m";
    private static final int STREAM = 10;

    private final YieldingIdleStrategy idle = new YieldingIdleStrategy();

    private static MatchingEngine engine() {
        MatchingEngine engine = new MatchingEngine();
        Orders orders = new Orders(engine);
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 500; i++) {
            orders.send(
                    "ACCOUNT-" + random.nextInt(5),
                    random.nextBoolean() ? BUY : SELL,
                    random.nextInt(90, 110),
                    random.nextInt(1, 100),
                    DAY);
        }
        return engine;
    }

    @Test
    void restoresEngineFromSnapshot() {
        MatchingEngine engine = engine();
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Aeron aeron = connect(driver);
                Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                ExclusivePublication publication = aeron.addExclusivePublication(CHANNEL, STREAM)) {
            EngineSnapshot.write(engine, publication, idle);
            MatchingEngine restored = EngineSnapshot.read(image(subscription), idle);
            assertEquals(engine.state(), restored.state());
            new Orders(engine).take("NEW", 0, BUY, 105, 1_000, DAY);
            new Orders(restored).take("NEW", 0, BUY, 105, 1_000, DAY);
            assertEquals(engine.state(), restored.state());
        }
    }

    @Test
    void rejectsTruncatedSnapshot() {
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Aeron aeron = connect(driver);
                Subscription subscription = aeron.addSubscription(CHANNEL, STREAM)) {
            Image image;
            try (ExclusivePublication publication =
                    aeron.addExclusivePublication(CHANNEL, STREAM)) {
                image = image(subscription);
                assertTrue(publication.appendPadding(64) > 0);
            }
            String why =
                    assertThrows(
                                    IllegalStateException.class,
                                    () -> EngineSnapshot.read(image, idle))
                            .getMessage();
            assertTrue(why.contains("without a summary"), why);
        }
    }

    @Test
    void rejectsForeignMessageInSnapshot() {
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Aeron aeron = connect(driver);
                Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
                ExclusivePublication publication = aeron.addExclusivePublication(CHANNEL, STREAM)) {
            Image image = image(subscription);
            assertTrue(publication.offer(new UnsafeBuffer(new byte[64])) > 0);
            String why =
                    assertThrows(
                                    IllegalStateException.class,
                                    () -> EngineSnapshot.read(image, idle))
                            .getMessage();
            assertTrue(why.contains("cannot contain messages of template 0"), why);
        }
    }

    private static Aeron connect(MediaDriver driver) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(driver.directory().toString())
                        .errorHandler(error -> {})); // a failing handler is the test's matter
    }

    private static Image image(Subscription subscription) {
        while (subscription.hasNoImages()) {
            Thread.onSpinWait();
        }
        return subscription.imageAtIndex(0);
    }
}
