// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronChild;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** The process with one end's driver and client is killed under traffic, and replaced. */
@Timeout(180)
@Tag("slow")
class UdpKilledProcessTest {
    private final List<Image> gone = Collections.synchronizedList(new ArrayList<>());
    private final Path childFolder = Drivers.keptPath();
    @TempDir Path folder;
    private MediaDriver driver;
    private Bus bus;
    private String address;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launch(
                        UdpChild.config().directory(DriverDirectory.uniquePath()).build());
        bus = Bus.connect(Drivers.context(driver).unavailableImageHandler(gone::add));
        address = "udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        IoUtil.delete(childFolder.toFile(), true);
        assertEquals(List.of(), errors);
    }

    private ChildProcess child(String bus, String task) {
        boolean isOurs = bus.equals("verbus");
        return ChildProcess.start(
                isOurs ? UdpChild.class : AeronChild.class,
                task,
                bus + ":" + address + (isOurs ? "" : "|term-length=64k"),
                childFolder.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbus", "aeron"})
    void endsImageOfKilledPublisherAndReadsSuccessor(String peer) {
        Subscription subscription = bus.addSubscription("verbus:" + address, UdpChild.STREAM);
        Map<Integer, Long> next = new HashMap<>();
        for (int life = 1; life <= 2; life++) {
            int images = life;
            try (ChildProcess child = child(peer, "publish")) {
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

    @Test
    @Tag("soak")
    void aeronEndsImageOfKilledPublisherAndReadsSuccessor() {
        Map<Integer, Long> next = new HashMap<>();
        int[] ended = new int[1];
        try (AeronPeer aeron = AeronPeer.impatient(folder.resolve("aeron"));
                io.aeron.Subscription subscription =
                        aeron.client()
                                .addSubscription(
                                        "aeron:" + address,
                                        UdpChild.STREAM,
                                        image -> {},
                                        image -> ended[0]++)) {
            for (int life = 1; life <= 2; life++) {
                int images = life;
                try (ChildProcess child = child("verbus", "publish")) {
                    Await.until("messages", () -> poll(subscription, next, images) > 5000);
                    child.kill();
                }
                Await.until(
                        "image gone",
                        () -> {
                            poll(subscription, next, images);
                            return ended[0] == images;
                        });
            }
            assertEquals(2, next.size());
            assertEquals(List.of(), aeron.errors());
        }
    }

    private static long poll(
            io.aeron.Subscription subscription, Map<Integer, Long> next, int images) {
        long[] count = new long[1];
        subscription.poll(
                (buffer, offset, length, header) ->
                        count[0] = check(next, header.sessionId(), buffer.getLong(offset)),
                10);
        return next.size() == images ? count[0] : 0;
    }

    private static long check(Map<Integer, Long> next, int session, long n) {
        assertEquals(next.getOrDefault(session, 0L), n);
        next.put(session, n + 1);
        return n;
    }

    /** Checks that every session's numbers are consecutive; returns how many the newest has. */
    private static long poll(Subscription subscription, Map<Integer, Long> next, int images) {
        long[] count = new long[1];
        subscription.poll(
                (buffer, offset, length, header) ->
                        count[0] = check(next, header.sessionId(), buffer.getLong(offset)),
                10);
        return next.size() == images ? count[0] : 0;
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbus", "aeron"})
    void detectsKilledSubscriberAndServesSuccessor(String peer) {
        ExclusivePublication publication =
                bus.addExclusivePublication("verbus:" + address, UdpChild.STREAM);
        serveTwoLives(peer, publication::offer, publication::isConnected);
    }

    @Test
    @Tag("soak")
    void aeronDetectsKilledSubscriberAndServesSuccessor() {
        try (AeronPeer aeron = AeronPeer.impatient(folder.resolve("aeron"));
                io.aeron.ExclusivePublication publication =
                        aeron.client()
                                .addExclusivePublication(
                                        "aeron:" + address + "|term-length=64k", UdpChild.STREAM)) {
            serveTwoLives("verbus", publication::offer, publication::isConnected);
            assertEquals(List.of(), aeron.errors());
        }
    }

    private void serveTwoLives(
            String peer, ToLongFunction<DirectBuffer> offer, BooleanSupplier isConnected) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[200]);
        long[] sent = new long[1];
        Runnable send =
                () -> {
                    message.putLong(0, sent[0]);
                    if (offer.applyAsLong(message) > 0) {
                        sent[0]++;
                    }
                };
        for (int life = 1; life <= 2; life++) {
            try (ChildProcess child = child(peer, "receive")) {
                long until = sent[0] + 2000;
                Await.until(
                        "messages",
                        () -> {
                            send.run();
                            return sent[0] >= until;
                        });
                assertEquals("under way", child.line());
                child.kill();
            }
            Await.until(
                    "not connected",
                    () -> {
                        send.run();
                        return !isConnected.getAsBoolean();
                    });
        }
    }
}
