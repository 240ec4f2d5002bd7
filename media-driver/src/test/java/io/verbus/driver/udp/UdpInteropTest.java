// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.FragmentAssembler;
import io.verbus.Image;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.FreePorts;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Verbus driver and client at one end, Aeron's at the other, over loopback. */
@Timeout(120)
public class UdpInteropTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 3000;

    @TempDir Path folder;
    private final List<Image> gone = Collections.synchronizedList(new ArrayList<>());
    private AeronPeer aeron;
    private MediaDriver driver;
    private Bus bus;
    private int port;

    @BeforeEach
    void launch() throws IOException {
        aeron = new AeronPeer(folder.resolve("aeron"));
        driver =
                MediaDriver.launch(
                        Drivers.config().directory(DriverDirectory.uniquePath()).build());
        bus = Bus.connect(Drivers.context(driver).unavailableImageHandler(gone::add));
        port = freePort();
    }

    public static int freePort() throws IOException {
        return FreePorts.next();
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        aeron.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), aeron.errors());
    }

    private String ours(String options) {
        return "verbus:udp?endpoint=127.0.0.1:" + port + options;
    }

    private String theirs(String options) {
        return "aeron:udp?endpoint=127.0.0.1:" + port + options;
    }

    @ParameterizedTest
    @ValueSource(ints = {1408, 8192})
    void readsStreamOfAeronToEnd(int mtu) {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 8192);
        Subscription subscription = bus.addSubscription(ours(""), STREAM);
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        long end;
        try (io.aeron.ExclusivePublication publication =
                aeron.client()
                        .addExclusivePublication(theirs("|term-length=64k|mtu=" + mtu), STREAM)) {
            Await.done(
                    "all messages",
                    () -> {
                        if (messages.sent() < MESSAGES
                                && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                            messages.onSent();
                        }
                        subscription.poll(handler, 10);
                        return messages.received() == MESSAGES;
                    });
            end = publication.position();
        }
        assertTrue(end > 100 * 64 * 1024, "terms wrapped");
        Await.until("image gone", () -> subscription.poll(handler, 10) == 0 && gone.size() == 1);
        assertTrue(gone.getFirst().isEndOfStream());
        assertEquals(end, gone.getFirst().position());
    }

    @ParameterizedTest
    @ValueSource(ints = {1408, 8192})
    void aeronReadsStreamToEnd(int mtu) {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 8192);
        List<io.aeron.Image> ended = Collections.synchronizedList(new ArrayList<>());
        io.aeron.FragmentAssembler handler =
                new io.aeron.FragmentAssembler(
                        (buffer, at, size, h) -> messages.onMessage(buffer, at, size));
        try (io.aeron.Subscription subscription =
                aeron.client()
                        .addSubscription(
                                theirs(""),
                                STREAM,
                                image -> {},
                                image -> {
                                    if (image.isEndOfStream()) {
                                        ended.add(image);
                                    }
                                })) {
            ExclusivePublication publication =
                    bus.addExclusivePublication(ours("|term-length=64k|mtu=" + mtu), STREAM);
            Await.done(
                    "all messages",
                    () -> {
                        if (messages.sent() < MESSAGES
                                && publication.offer(messages.buffer(), 0, messages.length()) > 0) {
                            messages.onSent();
                        }
                        subscription.poll(handler, 10);
                        return messages.received() == MESSAGES;
                    });
            long end = publication.position();
            assertTrue(end > 100 * 64 * 1024, "terms wrapped");
            publication.close();
            Await.until(
                    "end of stream", () -> subscription.poll(handler, 1) == 0 && !ended.isEmpty());
            assertEquals(end, ended.getFirst().position());
        }
    }

    @Test
    void joinsActiveStreamOfAeron() {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 500);
        try (io.aeron.Publication publication =
                aeron.client().addPublication(theirs("|term-length=64k"), STREAM)) {
            for (int round = 0; round < 3; round++) {
                messages.skipTo(messages.sent());
                try (Subscription subscription = bus.addSubscription(ours(""), STREAM)) {
                    long until = messages.sent() + 500;
                    Await.done(
                            "all messages",
                            () -> {
                                if (messages.sent() < until
                                        && publication.offer(
                                                        messages.buffer(), 0, messages.length())
                                                > 0) {
                                    messages.onSent();
                                }
                                subscription.poll(
                                        (buffer, at, size, h) ->
                                                messages.onMessage(buffer, at, size),
                                        10);
                                return messages.received() == until;
                            });
                }
                Await.until("not connected", () -> !publication.isConnected());
            }
        }
    }

    @Test
    void aeronJoinsActiveStream() {
        UdpMessages messages = new UdpMessages(System.nanoTime(), 500);
        ExclusivePublication publication =
                bus.addExclusivePublication(ours("|term-length=64k"), STREAM);
        for (int round = 0; round < 2; round++) {
            messages.skipTo(messages.sent());
            try (io.aeron.Subscription subscription =
                    aeron.client().addSubscription(theirs(""), STREAM)) {
                long until = messages.sent() + 500;
                Await.done(
                        "all messages",
                        () -> {
                            if (messages.sent() < until
                                    && publication.offer(messages.buffer(), 0, messages.length())
                                            > 0) {
                                messages.onSent();
                            }
                            subscription.poll(
                                    (buffer, at, size, h) -> messages.onMessage(buffer, at, size),
                                    10);
                            return messages.received() == until;
                        });
            }
            Await.until("not connected", () -> !publication.isConnected());
        }
    }
}
