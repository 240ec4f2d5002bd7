// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
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

/** A subscriber joins after the stream has ended, while another has not read all of it. */
@Timeout(60)
class LateSubscriberTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 20;

    private MediaDriver driver;
    private Aeron aeron;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        aeron =
                Aeron.connect(
                        new Aeron.Context().aeronDirectoryName(driver.directory().toString()));
        endpoint = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
    }

    private void publish(Subscription first) {
        publish(endpoint, first);
    }

    private void publish(String channel, Subscription first) {
        try (ExclusivePublication publication = aeron.addExclusivePublication(channel, STREAM)) {
            Await.until("connected", publication::isConnected);
            Await.until("image", () -> first.imageCount() == 1);
            UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
            for (int i = 0; i < MESSAGES; i++) {
                Await.until("offered", () -> publication.offer(message) > 0);
            }
        }
        Image image = first.imageAtIndex(0);
        Await.until("ended", () -> image.endOfStreamPosition() < Long.MAX_VALUE);
    }

    private static void read(Subscription subscription) {
        int[] count = {0};
        Await.until(
                "read",
                () -> {
                    subscription.poll((buffer, offset, length, header) -> count[0]++, MESSAGES);
                    return count[0] >= MESSAGES;
                });
        Await.until("image closed", subscription::hasNoImages);
        assertEquals(MESSAGES, count[0]);
    }

    @Test
    void readsMessagesThatOtherSubscriberHasNotRead() {
        try (Subscription first = aeron.addSubscription(endpoint, STREAM)) {
            publish(first);
            try (Subscription second = aeron.addSubscription(endpoint, STREAM)) {
                Await.until("joined", () -> second.imageCount() == 1);
                read(first);
                read(second);
            }
        }
    }

    @Test
    void readsMessagesThatOtherSubscriberHasNotReadOverIpc() {
        try (Subscription first = aeron.addSubscription("aeron:ipc", STREAM)) {
            publish("aeron:ipc", first);
            try (Subscription second = aeron.addSubscription("aeron:ipc", STREAM)) {
                Await.until("joined", () -> second.imageCount() == 1);
                read(first);
                read(second);
            }
        }
    }

    @Test
    void readsUnreadMessagesThroughManualDestinations() {
        String manual = "aeron:udp?control-mode=manual|tags=1";
        try (Subscription first = aeron.addSubscription(manual, STREAM)) {
            first.addDestination(endpoint);
            publish(first);
            try (Subscription second = aeron.addSubscription(manual, STREAM)) {
                Await.until("joined", () -> second.imageCount() == 1);
                read(first);
                read(second);
            }
        }
    }

    @Test
    void receivesNoImageOnceEverythingIsRead() {
        try (Subscription first = aeron.addSubscription(endpoint, STREAM)) {
            publish(first);
            read(first);
            try (Subscription late = aeron.addSubscription(endpoint, STREAM)) {
                assertTrue(late.hasNoImages());
            }
        }
    }
}
