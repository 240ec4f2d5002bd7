// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.udp.UdpInteropTest;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Subscriptions with Aeron's channels keep an image for a while after the end of its stream. */
@Timeout(60)
class LingeringImageTest {
    private static final int STREAM = 12;
    private static final long MIN_LINGER_NS = TimeUnit.MILLISECONDS.toNanos(900);
    private static final int MAX_RESTARTS = 10;

    private final Numbers numbers = new Numbers();
    private MediaDriver driver;
    private Bus bus;
    private String place;

    @BeforeEach
    void launch() throws IOException {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        bus = Drivers.connect(driver);
        place = "udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    /** Adds a publication, once an earlier one with its session has ended. */
    private Publication publication() {
        Publication[] added = new Publication[1];
        Await.until(
                "the session id",
                () -> {
                    try {
                        String channel = "verbus:" + place + "|session-id=5";
                        added[0] = bus.addExclusivePublication(channel, STREAM);
                    } catch (RegistrationException taken) {
                        assertTrue(
                                taken.getMessage().contains("is already used"), taken.getMessage());
                    }
                    return added[0] != null;
                });
        return added[0];
    }

    private void publishAndEnd(Subscription... subscriptions) {
        try (Publication publication = publication()) {
            for (Subscription each : subscriptions) {
                Await.until("connected", each::isConnected);
            }
            numbers.offer(publication, 0, 3, 100);
            for (Subscription each : subscriptions) {
                assertEquals(Numbers.range(0, 3), Numbers.drain(each, 3));
            }
        }
    }

    @Test
    void keepsEndedImageOnlyForAeronChannel() {
        try (Subscription aeron = bus.addSubscription("aeron:" + place, STREAM);
                Subscription verbus = bus.addSubscription("verbus:" + place, STREAM)) {
            publishAndEnd(aeron, verbus);
            Await.until("the end", () -> !verbus.isConnected());
            long endedNs = System.nanoTime();
            assertTrue(aeron.isConnected());
            Await.until("the end of the time", () -> !aeron.isConnected());
            assertTrue(System.nanoTime() - endedNs >= MIN_LINGER_NS);
        }
    }

    @Test
    void endsLingeringImageWhenSessionRestarts() {
        try (Subscription aeron = bus.addSubscription("aeron:" + place, STREAM)) {
            endAndBeginAgain(aeron);
        }
    }

    @Test
    void endsMergedLingeringImageWhenSessionRestarts() {
        try (Subscription aeron = bus.addSubscription("aeron:udp?control-mode=manual", STREAM)) {
            aeron.addDestination("aeron:" + place);
            endAndBeginAgain(aeron);
        }
    }

    /** A busy machine may take longer than the image lingers, so one prompt restart is enough. */
    private void endAndBeginAgain(Subscription aeron) {
        long took = Long.MAX_VALUE;
        for (int i = 0; i < MAX_RESTARTS && took >= MIN_LINGER_NS; i++) {
            took = restartNs(aeron);
        }
        assertTrue(took < MIN_LINGER_NS, "the ended image lingered for " + took + " ns");
    }

    /** Returns the time from the end of one stream until only the next one has an image. */
    private long restartNs(Subscription aeron) {
        Await.until("the end of earlier images", () -> !aeron.isConnected());
        publishAndEnd(aeron);
        Image ended = aeron.imageAtIndex(0);
        Await.until("the end", ended::isEndOfStream);
        long endedNs = System.nanoTime();
        try (Publication publication = publication()) {
            Await.until("the next stream", publication::isConnected);
            Await.until(
                    "the next image alone",
                    () -> {
                        List<Image> images = aeron.images();
                        return images.size() == 1 && images.getFirst() != ended;
                    });
        }
        return System.nanoTime() - endedNs;
    }
}
