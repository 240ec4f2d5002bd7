// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A stream has ended and been read: a draining driver does not wait for it. */
@Timeout(120)
class EndedStreamTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 20;
    private static final int LIMIT_SECONDS = 20;

    private MediaDriver driver;
    private Aeron aeron;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .transportOption("udp.linger", "60s")
                                .transportOption("udp.connection-timeout", "60s"));
        aeron =
                Aeron.connect(
                        new Aeron.Context().aeronDirectoryName(driver.directory().toString()));
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
    }

    @Test
    void drainsOnceReceiverHasReadAll() throws IOException, InterruptedException {
        String channel = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription subscription = aeron.addSubscription(channel, STREAM)) {
            publish(channel, subscription);
        }
    }

    @Test
    void drainsOnceDynamicReceiversHaveReadAll() throws IOException, InterruptedException {
        String control = "aeron:udp?control=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription first = aeron.addSubscription(control, STREAM);
                Subscription second =
                        aeron.addSubscription("aeron:udp?control-mode=manual", STREAM)) {
            second.addDestination(control + "|endpoint=127.0.0.1:" + UdpInteropTest.freePort());
            publish(control + "|control-mode=dynamic", first, second);
        }
    }

    @Test
    void drainsOnceAllDestinationsHaveReadAll() throws IOException, InterruptedException {
        String one = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        String other = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription first = aeron.addSubscription(one, STREAM);
                Subscription second = aeron.addSubscription(other, STREAM);
                ExclusivePublication publication =
                        aeron.addExclusivePublication("aeron:udp?control-mode=manual", STREAM)) {
            publication.addDestination(one);
            publication.addDestination(other);
            publish(publication, first, second);
        }
    }

    private void publish(String channel, Subscription... subscriptions)
            throws InterruptedException {
        try (ExclusivePublication publication = aeron.addExclusivePublication(channel, STREAM)) {
            publish(publication, subscriptions);
        }
    }

    private void publish(ExclusivePublication publication, Subscription... subscriptions)
            throws InterruptedException {
        for (Subscription each : subscriptions) {
            Await.until("image", LIMIT_SECONDS, () -> each.imageCount() == 1);
        }
        Await.until("connected", LIMIT_SECONDS, publication::isConnected);
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        for (int i = 0; i < MESSAGES; i++) {
            Await.until("offered", LIMIT_SECONDS, () -> publication.offer(message) > 0);
        }
        publication.close();
        for (Subscription each : subscriptions) {
            int[] count = {0};
            Await.until(
                    "read",
                    LIMIT_SECONDS,
                    () -> {
                        each.poll((buffer, offset, length, header) -> count[0]++, MESSAGES);
                        return each.hasNoImages();
                    });
            assertEquals(MESSAGES, count[0]);
        }
        assertEquals(
                0, driver.drain(TimeUnit.SECONDS.toNanos(LIMIT_SECONDS), new CountDownLatch(1)));
    }
}
