// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.FragmentAssembler;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.testing.LossyRelay;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * In each direction, one datagram in twenty is lost, duplicated or reordered; no message may be.
 */
@Timeout(180)
class UdpLossTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 2500;
    private static final double FAULT = 0.05;

    @TempDir Path folder;
    private MediaDriver driver;
    private Bus bus;
    private int port;
    private LossyRelay relay;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launch(
                        Drivers.config().directory(DriverDirectory.uniquePath()).build());
        bus = Drivers.connect(driver);
        port = UdpInteropTest.freePort();
        relay = new LossyRelay(System.nanoTime(), FAULT, port);
    }

    @AfterEach
    void close() throws IOException {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        relay.close();
        assertEquals(List.of(), errors);
    }

    private static String udp(String scheme, int at, String options) {
        return scheme + ":udp?endpoint=127.0.0.1:" + at + options;
    }

    private long counter(String label) {
        long[] value = {-1};
        CountersReader counters = bus.counters();
        counters.forEach(
                (id, type, key, text) -> {
                    if (text.equals("udp: " + label) || text.equals(label)) {
                        value[0] = counters.getCounterValue(id);
                    }
                });
        return value[0];
    }

    /** Sends all messages through the relay, until all are received. */
    private void relay(UdpMessages messages, BooleanSupplier offer, IntSupplier poll) {
        Await.done(
                "all messages",
                () -> {
                    relay.poll();
                    if (messages.sent() < MESSAGES && offer.getAsBoolean()) {
                        messages.onSent();
                    }
                    poll.getAsInt();
                    return messages.received() == MESSAGES;
                });
    }

    @Test
    void losesNothingBetweenVerbusDrivers() {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 4000);
        Subscription subscription = bus.addSubscription(udp("verbus", port, ""), STREAM);
        ExclusivePublication publication =
                bus.addExclusivePublication(
                        udp("verbus", relay.port(), "|term-length=64k"), STREAM);
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        relay(
                messages,
                () -> publication.offer(messages.buffer(), 0, messages.length()) > 0,
                () -> subscription.poll(handler, 10));
        assertTrue(relay.lost() > 100, "lost " + relay.lost());
        assertTrue(counter("losses") > 0);
        assertTrue(counter("NAKs sent") > 0);
        assertTrue(counter("NAKs received") > 0);
        assertTrue(counter("Retransmits sent") > 0);
        assertTrue(counter("duplicate frames") + counter("Flow control under runs") > 0);
        assertEquals(0, counter("invalid frames from senders"));
        assertEquals(0, counter("invalid frames from receivers"));
        assertEquals(0, counter("Loss gap fills"));
    }

    @Test
    void unreliableSubscriptionSkipsLossAndContinues() {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 1000);
        Subscription subscription =
                bus.addSubscription(udp("verbus", port, "|reliable=false"), STREAM);
        ExclusivePublication publication =
                bus.addExclusivePublication(
                        udp("verbus", relay.port(), "|term-length=64k"), STREAM);
        long[] count = new long[1];
        Await.done(
                "the last messages",
                () -> {
                    relay.poll();
                    if (messages.sent() < MESSAGES
                            && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                        messages.onSent();
                    }
                    subscription.poll(
                            (buffer, at, size, h) -> {
                                count[0]++;
                                messages.onMessageWithGaps(buffer, at, size);
                            },
                            10);
                    return messages.sent() == MESSAGES
                            && subscription.imageBySessionId(publication.sessionId()) != null
                            && subscription.imageBySessionId(publication.sessionId()).position()
                                    == publication.position();
                });
        assertTrue(count[0] < MESSAGES, "received " + count[0]);
        assertTrue(count[0] > MESSAGES / 2, "received " + count[0]);
        assertEquals(0, counter("NAKs sent"));
        assertTrue(counter("Loss gap fills") > 0);
    }

    @Test
    void losesNothingFromAeron() {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 4000);
        Subscription subscription = bus.addSubscription(udp("verbus", port, ""), STREAM);
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        try (AeronPeer aeron = new AeronPeer(folder.resolve("aeron"));
                io.aeron.ExclusivePublication publication =
                        aeron.client()
                                .addExclusivePublication(
                                        udp("aeron", relay.port(), "|term-length=64k"), STREAM)) {
            relay(
                    messages,
                    () -> publication.offer(messages.buffer(), 0, messages.length()) > 0,
                    () -> subscription.poll(handler, 10));
            assertEquals(List.of(), aeron.errors());
        }
        assertTrue(counter("NAKs sent") > 0);
        assertEquals(0, counter("invalid frames from senders"));
    }

    @Test
    void losesNothingToAeron() {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 4000);
        io.aeron.FragmentAssembler handler =
                new io.aeron.FragmentAssembler(
                        (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        try (AeronPeer aeron = new AeronPeer(folder.resolve("aeron"));
                io.aeron.Subscription subscription =
                        aeron.client().addSubscription(udp("aeron", port, ""), STREAM)) {
            ExclusivePublication publication =
                    bus.addExclusivePublication(
                            udp("verbus", relay.port(), "|term-length=64k"), STREAM);
            relay(
                    messages,
                    () -> publication.offer(messages.buffer(), 0, messages.length()) > 0,
                    () -> subscription.poll(handler, 10));
            assertEquals(List.of(), aeron.errors());
        }
        assertTrue(counter("Retransmits sent") > 0);
        assertEquals(0, counter("invalid frames from receivers"));
    }
}
