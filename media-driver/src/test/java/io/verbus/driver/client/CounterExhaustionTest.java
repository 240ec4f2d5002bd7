// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.udp.wire.SetupFrame;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** A driver with few counters. */
@Timeout(60)
class CounterExhaustionTest {
    private static final int COUNTERS = 512;
    private static final int SETUPS = 4 * COUNTERS;
    private static final String CHANNEL = "verbus:ipc";
    private static final int STREAM = 10;

    private final Numbers numbers = new Numbers();
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config().counterValuesLength(COUNTERS * 128).clientShare(100));
        bus = Drivers.connect(driver);
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    private List<Publication> takeAll(int streamId) {
        List<Publication> all = new ArrayList<>();
        BusException refusal =
                assertThrows(
                        BusException.class,
                        () -> {
                            for (int i = 0; i < COUNTERS; i++) {
                                all.add(bus.addExclusivePublication(CHANNEL, streamId));
                            }
                        });
        // A publication takes three counters: up to two remain.
        assertTrue(
                refusal.getMessage()
                        .matches(
                                ".*all 512 driver counters are in use or cooling down"
                                        + " \\(51[0-2] in use, 0 freed.*"),
                refusal.getMessage());
        return all;
    }

    @Test
    void rejectsSubscriptionWithoutFreeCounter() {
        takeAll(STREAM);
        String refusal = Drivers.refusal(() -> bus.addSubscription(CHANNEL, STREAM));
        assertTrue(refusal.contains("raise counter-values-length"), refusal);
        assertEquals(0, Drivers.counter(bus, SystemCounter.SUBSCRIPTIONS));
        // Without an image a subscription takes only the counter of its state.
        List<Subscription> others = new ArrayList<>();
        String other =
                Drivers.refusal(
                        () -> {
                            while (others.size() < 3) {
                                others.add(bus.addSubscription(CHANNEL, STREAM + 1));
                            }
                        });
        assertTrue(other.contains("raise counter-values-length"), other);
    }

    @Test
    @Tag("soak")
    void joinsNewPublicationOnceCounterIsFree() {
        // A publication takes three counters, so two may remain beside those that its end frees:
        // the first subscriptions may get them, and the last finds none.
        try (Subscription first = bus.addSubscription(CHANNEL, STREAM);
                Subscription second = bus.addSubscription(CHANNEL, STREAM);
                Subscription subscription = bus.addSubscription(CHANNEL, STREAM)) {
            List<Publication> all = takeAll(STREAM + 1);
            all.removeLast().close();
            Publication[] late = new Publication[1];
            Await.until(
                    "a counter that was freed",
                    () -> {
                        try {
                            late[0] = bus.addExclusivePublication(CHANNEL, STREAM);
                            return true;
                        } catch (BusException e) {
                            return false;
                        }
                    });
            Await.until(
                    "told",
                    () ->
                            Drivers.errors(driver).stream()
                                    .anyMatch(error -> error.contains("cannot join a new")));
            assertTrue(subscription.hasNoImages());
            all.removeLast().close();
            Await.until("joined", () -> first.isConnected() && subscription.isConnected());
            Await.until("joined too", second::isConnected);
            numbers.offer(late[0], 0, 10, 100);
            assertEquals(Numbers.range(0, 10), Numbers.drain(first, 10));
            assertEquals(Numbers.range(0, 10), Numbers.drain(second, 10));
            assertEquals(Numbers.range(0, 10), Numbers.drain(subscription, 10));
        }
    }

    /** Peers that keep offering streams leave counters to clients. */
    @Test
    void leavesCountersToClientsDespiteSetupFlood() throws Exception {
        int port = UdpInteropTest.freePort();
        UnsafeBuffer frame = new UnsafeBuffer(new byte[SetupFrame.LENGTH]);
        try (Subscription subscription =
                        bus.addSubscription("verbus:udp?endpoint=127.0.0.1:" + port, STREAM);
                DatagramSocket socket = new DatagramSocket()) {
            int[] session = new int[1];
            Await.until(
                    "the share of images is taken, or as many are refused",
                    () -> {
                        SetupFrame.write(
                                frame, 0, session[0]++, STREAM, 0, 0, 0, 64 * 1024, 1408, 0);
                        try {
                            socket.send(
                                    new DatagramPacket(
                                            frame.byteArray(),
                                            SetupFrame.LENGTH,
                                            InetAddress.getLoopbackAddress(),
                                            port));
                        } catch (java.io.IOException e) {
                            throw new AssertionError(e);
                        }
                        return session[0] >= SETUPS
                                || Drivers.errors(driver).stream()
                                        .anyMatch(error -> error.contains("images of remote"));
                    });
            assertTrue(subscription.imageCount() <= COUNTERS / 4);
            for (int i = 0; i < COUNTERS / 8; i++) {
                bus.addExclusivePublication(CHANNEL, STREAM);
            }
        }
    }
}
