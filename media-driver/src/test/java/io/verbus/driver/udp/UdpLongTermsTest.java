// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.ChannelUriStringBuilder;
import io.verbus.Bus;
import io.verbus.FragmentAssembler;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Streams with the longest terms are received, and take memory only for the parts in use. */
@Timeout(120)
class UdpLongTermsTest {
    private static final int STREAM = 10;
    private static final int TERM = 1 << 30;
    private static final int MB = 1024 * 1024;

    /** Maximum memory of an image with long terms: its window, and the parts ahead and behind. */
    private static final int IMAGE = 17 * MB;

    @TempDir Path folder;
    private MediaDriver driver;
    private Bus bus;
    private int port;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launch(
                        Drivers.config()
                                .directory(DriverDirectory.uniquePath())
                                .transportOption("udp.max-image-memory", "40m")
                                .transportOption("udp.max-total-image-memory", "100m")
                                .build());
        bus = Drivers.connect(driver);
        port = UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    private Subscription subscribe() {
        return bus.addSubscription("verbus:udp?endpoint=127.0.0.1:" + port, STREAM);
    }

    /** Memory taken by the logs of images, in bytes. */
    private long taken() throws IOException {
        long blocks = 0;
        try (Stream<Path> images = Files.list(driver.directory().resolve(DriverDirectory.IMAGES))) {
            for (Path file : images.toList()) {
                Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
                String count = new String(stat.getInputStream().readAllBytes()).trim();
                blocks += count.isEmpty() ? 0 : Long.parseLong(count);
            }
        }
        return 512 * blocks;
    }

    @Test
    void readsAeronStreamWithLongestTerms() throws IOException {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 8192);
        String channel =
                new ChannelUriStringBuilder()
                        .media("udp")
                        .endpoint("127.0.0.1:" + port)
                        .sparse(true)
                        .initialPosition(TERM - MB, 5, TERM)
                        .build();
        Subscription subscription = subscribe();
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        try (AeronPeer aeron = new AeronPeer(folder.resolve("aeron"));
                io.aeron.ExclusivePublication publication =
                        aeron.client().addExclusivePublication(channel, STREAM)) {
            Await.done(
                    "more than is in memory at a time",
                    () -> {
                        if (publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                            messages.onSent();
                        }
                        subscription.poll(handler, 10);
                        return publication.position() > TERM + 40L * MB
                                && messages.received() == messages.sent();
                    });
            assertEquals(TERM, publication.termBufferLength());
            long taken = taken();
            assertTrue(taken > 0 && taken <= IMAGE, taken + " bytes");
            assertEquals(List.of(), aeron.errors());
        }
        assertEquals(List.of(), Drivers.errors(driver));
    }

    private void forge(String host, int count) throws IOException {
        InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (DatagramChannel stranger = DatagramChannel.open()) {
            stranger.bind(new InetSocketAddress(host, 0));
            for (int session = 1; session <= count; session++) {
                ByteBuffer setup = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
                setup.putInt(0, 40).putShort(6, (short) 5);
                setup.putInt(12, session ^ host.hashCode()).putInt(16, STREAM);
                setup.putInt(28, TERM).putInt(32, 1408);
                stranger.send(setup, to);
                Thread.yield();
            }
        }
    }

    private long refused() {
        long[] value = {0};
        bus.counters()
                .forEach(
                        (id, type, key, label) ->
                                value[0] +=
                                        label.equals("udp: set-ups refused")
                                                ? bus.counters().getCounterValue(id)
                                                : 0);
        return value[0];
    }

    @Test
    void floodFromOneHostTakesOnlyThatHostsShareOfMemory() throws IOException {
        Subscription subscription = subscribe();
        forge("127.0.0.9", 500);
        Await.until("images", () -> subscription.imageCount() == 2);
        Await.until("refused", () -> refused() > 0);
        long taken = taken();
        assertTrue(taken > 0 && taken <= 40 * MB, taken + " bytes");
        List<String> errors = Drivers.errors(driver);
        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.getFirst().contains("udp.max-image-memory"), errors.getFirst());
    }

    @Test
    void floodFromManyHostsTakesOnlyTotalShareOfMemory() throws IOException {
        Subscription subscription = subscribe();
        for (int host = 2; host < 30; host++) {
            forge("127.0.0." + host, 20);
        }
        Await.until("images", () -> subscription.imageCount() >= 5);
        Await.until("refused", () -> refused() > 0);
        assertTrue(subscription.imageCount() <= 6, subscription.imageCount() + " images");
        long taken = taken();
        assertTrue(taken <= 100 * MB, taken + " bytes");
        assertFalse(bus.isClosed());
    }
}
