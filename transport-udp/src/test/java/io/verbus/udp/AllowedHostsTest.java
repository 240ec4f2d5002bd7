// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** Tests the filter of source addresses over loopback; both drivers are at 127.0.0.1. */
@Timeout(60)
class AllowedHostsTest {
    private static final int STREAM = 7;
    private static final String TO_RECEIVER =
            "datagrams to the receiver refused by verbus.udp.allow";
    private static final String TO_SENDER = "datagrams to the sender refused by verbus.udp.allow";

    @TempDir Path folder;
    private ChannelUri channel;

    @BeforeEach
    void findPort() throws IOException {
        try (RawSocket free = new RawSocket()) {
            channel =
                    ChannelUri.parse(
                            "verbus:udp?endpoint=127.0.0.1:" + free.port() + "|term-length=64k");
        }
    }

    private static void until(TestDriver a, TestDriver b, BooleanSupplier condition) {
        for (int i = 0; i < 30_000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            a.turn(1);
            b.turn(1);
        }
        throw new AssertionError("not within 30 s of the test's time");
    }

    @Test
    void acceptsStreamsOfAllowedHosts() {
        try (TestDriver a = new TestDriver(1, folder, "udp.allow", "10.0.0.0/8,127.0.0.1");
                TestDriver b = new TestDriver(2, folder, "udp.allow", "127.0.0.0/8")) {
            b.subscribe(channel, STREAM);
            TestStream stream = a.publish(channel, STREAM);
            until(a, b, () -> stream.connected && b.images.size() == 1);
            until(
                    a,
                    b,
                    () -> {
                        stream.offer();
                        b.images.getFirst().poll(10);
                        return b.images.getFirst().next >= 100;
                    });
            assertEquals(0, a.counter(TO_SENDER));
            assertEquals(0, b.counter(TO_RECEIVER));
        }
    }

    @Test
    void dropsDatagramsOfDisallowedSenders() {
        try (TestDriver a = new TestDriver(1, folder);
                TestDriver b = new TestDriver(2, folder, "udp.allow", "127.0.0.2,fd00::/8")) {
            b.subscribe(channel, STREAM);
            TestStream stream = a.publish(channel, STREAM);
            until(a, b, () -> b.counter(TO_RECEIVER) > 10);
            assertFalse(stream.connected);
            assertTrue(b.images.isEmpty());
            assertEquals(1, b.errors.size(), b.errors.toString());
            assertTrue(
                    b.errors.getFirst().contains("dropping datagrams from 127.0.0.1"),
                    b.errors.toString());
        }
    }

    @Test
    void dropsDatagramsOfDisallowedReceivers() {
        try (TestDriver a = new TestDriver(1, folder, "udp.allow", "127.0.0.2");
                TestDriver b = new TestDriver(2, folder)) {
            b.subscribe(channel, STREAM);
            TestStream stream = a.publish(channel, STREAM);
            until(a, b, () -> a.counter(TO_SENDER) > 10);
            assertFalse(stream.connected);
            assertEquals(1, a.errors.size(), a.errors.toString());
            assertTrue(
                    a.errors.getFirst().contains("add it to verbus.udp.allow"),
                    a.errors.toString());
        }
    }
}
