// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.driver.Await;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.client.HonestStream;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.udp.StreamingChild;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;

/**
 * A client truncates the log of an active stream: only that stream ends. The client is a separate
 * process, because it gets the same fault.
 */
@Timeout(180)
class TruncatedLogTest {
    private static final int STREAM = 77;

    private static MediaDriver launch(ThreadingMode threading) {
        return MediaDriver.launchEmbedded(
                Drivers.config()
                        .threading(threading)
                        .transportOption("udp.image-timeout", "5s")
                        .transportOption("udp.connection-timeout", "5s")
                        .transportOption("udp.linger", "100ms"));
    }

    private static String udp() {
        try {
            return "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void truncate(Path log, long length) {
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A client that truncates each log of a stream that it sends to itself. */
    private static void attack(MediaDriver driver, String channel, long length) {
        Set<Path> spared = Drivers.logs(driver);
        try (ChildProcess client =
                ChildProcess.start(
                        StreamingChild.class,
                        driver.directory().toString(),
                        channel,
                        "" + STREAM)) {
            client.awaitLine("streaming");
            for (Path log : Drivers.logs(driver)) {
                if (!spared.contains(log)) {
                    truncate(log, length);
                }
            }
            Await.until(
                    () -> "an entry in " + Drivers.errors(driver),
                    60,
                    () ->
                            driver.failure() != null
                                    || Drivers.errors(driver).stream()
                                            .anyMatch(text -> text.contains("truncated its log")));
        }
        assertNull(driver.failure());
    }

    private static void exchangeOther(MediaDriver driver) {
        try (Bus bus = Drivers.connect(driver)) {
            for (String channel : List.of("aeron:ipc", udp())) {
                try (var subscription = bus.addSubscription(channel, STREAM + 1);
                        Publication publication = bus.addPublication(channel, STREAM + 1)) {
                    UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
                    Await.until("sent", () -> publication.offer(message) > 0);
                    Await.until("read", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED_NETWORK", "SHARED"})
    void endsOnlyTruncatedIpcStream(ThreadingMode threading) {
        try (MediaDriver driver = launch(threading);
                HonestStream honest = new HonestStream(driver, "aeron:ipc", 1)) {
            honest.awaitProgress();
            attack(driver, "aeron:ipc", 0);
            honest.awaitProgress();
            exchangeOther(driver);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED_NETWORK", "SHARED"})
    void endsOnlyTruncatedUdpStream(ThreadingMode threading) {
        try (MediaDriver driver = launch(threading);
                HonestStream honest = new HonestStream(driver, udp(), 1)) {
            honest.awaitProgress();
            attack(driver, udp(), 0);
            honest.awaitProgress();
            exchangeOther(driver);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4096, 65536, 3 * 65536})
    void endsStreamTruncatedAtAnyLength(int length) {
        try (MediaDriver driver = launch(ThreadingMode.DEDICATED);
                HonestStream honest = new HonestStream(driver, "aeron:ipc", 1)) {
            attack(driver, "aeron:ipc", length);
            attack(driver, udp(), length);
            honest.awaitProgress();
            exchangeOther(driver);
        }
    }

    @Test
    void notifiesClientsOfEndedPublication() {
        try (MediaDriver driver = launch(ThreadingMode.DEDICATED);
                Bus bus = Drivers.connect(driver);
                Bus other = Drivers.connect(driver)) {
            Set<Path> spared = Drivers.logs(driver);
            var subscription = other.addSubscription("aeron:ipc", STREAM);
            Publication publication = bus.addPublication("aeron:ipc", STREAM);
            Await.until("joined", () -> subscription.imageCount() == 1);
            for (Path log : Drivers.logs(driver)) {
                if (!spared.contains(log)) {
                    truncate(log, 0);
                }
            }
            Await.until("ended", () -> subscription.imageCount() == 0);
            Await.until("logged", () -> !Drivers.errors(driver).isEmpty());
            assertTrue(
                    Drivers.errors(driver).getFirst().contains(BusException.class.getName()),
                    Drivers.errors(driver).toString());
        }
    }
}
