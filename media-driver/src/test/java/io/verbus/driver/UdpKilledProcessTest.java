// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Subscription;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One end's process, driver and client, is killed under traffic, and another takes its place. */
@Timeout(180)
class UdpKilledProcessTest {
    private final List<Image> gone = Collections.synchronizedList(new ArrayList<>());
    private final Path childFolder = DriverDirectory.uniquePath();
    private MediaDriver driver;
    private Bus bus;
    private String channel;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launch(
                        UdpChild.config().directory(DriverDirectory.uniquePath()).build());
        bus = Bus.connect(Drivers.context(driver).unavailableImageHandler(gone::add));
        channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        IoUtil.delete(childFolder.toFile(), true);
        assertEquals(List.of(), errors);
    }

    @Test
    void aKilledPublishersImageEndsAndItsSuccessorIsRead() {
        Subscription subscription = bus.addSubscription(channel, UdpChild.STREAM);
        Map<Integer, Long> next = new HashMap<>();
        for (int life = 1; life <= 2; life++) {
            int images = life;
            try (ChildProcess child =
                    ChildProcess.start(
                            UdpChild.class, "publish", channel, childFolder.toString())) {
                Await.until("messages", () -> poll(subscription, next, images) > 5000);
                child.kill();
            }
            Await.until(
                    "image gone",
                    () -> {
                        poll(subscription, next, images);
                        return gone.size() == images;
                    });
        }
        assertEquals(2, next.size());
    }

    /** Checks that every session's numbers follow on each other; how many the newest has. */
    private static long poll(Subscription subscription, Map<Integer, Long> next, int images) {
        long[] count = new long[1];
        subscription.poll(
                (buffer, offset, length, header) -> {
                    long n = buffer.getLong(offset);
                    assertEquals(next.getOrDefault(header.sessionId(), 0L), n);
                    next.put(header.sessionId(), n + 1);
                    count[0] = n;
                },
                10);
        return next.size() == images ? count[0] : 0;
    }

    @Test
    void aKilledSubscriberIsNoticedAndItsSuccessorServed() {
        ExclusivePublication publication = bus.addExclusivePublication(channel, UdpChild.STREAM);
        UnsafeBuffer message = new UnsafeBuffer(new byte[200]);
        long[] sent = new long[1];
        for (int life = 1; life <= 2; life++) {
            try (ChildProcess child =
                    ChildProcess.start(
                            UdpChild.class, "receive", channel, childFolder.toString())) {
                long until = sent[0] + 2000;
                Await.until(
                        "messages",
                        () -> {
                            message.putLong(0, sent[0]);
                            if (publication.offer(message) > 0) {
                                sent[0]++;
                            }
                            return sent[0] == until;
                        });
                assertEquals("under way", child.line());
                child.kill();
            }
            Await.until(
                    "not connected",
                    () -> {
                        message.putLong(0, sent[0]);
                        if (publication.offer(message) > 0) {
                            sent[0]++;
                        }
                        return !publication.isConnected();
                    });
        }
    }
}
