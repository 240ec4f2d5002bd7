// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.SystemEpochNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Drivers write send and receive times into messages, with Aeron's driver at either end. */
@Timeout(120)
class AeronTimestampsTest {
    private static final int STREAM = 10;
    private static final long FILLED = 0x5555_5555_5555_5555L;

    /** The driver's clock may differ slightly from the test's. */
    private static final long SLACK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    @TempDir Path folder;
    private final List<Throwable> clientErrors =
            Collections.synchronizedList(new java.util.ArrayList<>());
    private MediaDriver driver;
    private Aeron ours;
    private AeronPeer peer;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        peer = new AeronPeer(folder.resolve("aeron"));
        driver = MediaDriver.launchEmbedded(Drivers.config());
        ours =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
        endpoint = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        ours.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        peer.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
        assertEquals(List.of(), peer.errors());
    }

    private static long now() {
        return SystemEpochNanoClock.INSTANCE.nanoTime();
    }

    private static void assertTime(long time, long after, String what) {
        long before = now();
        assertTrue(
                time >= after - SLACK_NS && time <= before + SLACK_NS,
                what + " at " + time + ", from " + after + " to " + before);
    }

    @ParameterizedTest
    @CsvSource({"ours, ours", "ours, theirs", "theirs, ours"})
    void sendersAndReceiversWriteTimestamps(String sender, String receiver) {
        Aeron sending = sender.equals("ours") ? ours : peer.client();
        Aeron receiving = receiver.equals("ours") ? ours : peer.client();
        Subscription subscription =
                receiving.addSubscription(endpoint + "|channel-rcv-ts-offset=16", STREAM);
        Publication publication =
                sending.addExclusivePublication(
                        endpoint + "|channel-snd-ts-offset=8|term-length=64k", STREAM);
        UnsafeBuffer message = new UnsafeBuffer(new byte[40]);
        message.setMemory(0, 40, (byte) 0x55);
        for (int i = 0; i < 2_000; i++) { // terms end, too
            long after = now();
            Await.until("offered", () -> publication.offer(message) > 0);
            Await.until(
                    "received",
                    () ->
                            subscription.poll(
                                            (buffer, at, length, header) -> {
                                                assertEquals(FILLED, buffer.getLong(at));
                                                long sent = buffer.getLong(at + 8);
                                                long arrived = buffer.getLong(at + 16);
                                                assertTime(sent, after, "sent");
                                                assertTime(arrived, after, "arrived");
                                                assertEquals(FILLED, buffer.getLong(at + 24));
                                            },
                                            1)
                                    > 0);
        }
    }

    @Test
    void writesReservedValueOfFirstFragmentOnly() {
        Subscription subscription = ours.addSubscription(endpoint, STREAM);
        Publication publication =
                ours.addPublication(endpoint + "|channel-snd-ts-offset=reserved", STREAM);
        UnsafeBuffer message = new UnsafeBuffer(new byte[3 * publication.maxPayloadLength()]);
        long after = now();
        Await.until(
                "offered",
                () -> publication.offer(message, 0, message.capacity(), (b, o, l) -> 7) > 0);
        int[] fragments = {0};
        Await.until(
                "received",
                () -> {
                    subscription.poll(
                            (buffer, at, length, header) -> {
                                if (fragments[0]++ == 0) {
                                    assertTime(header.reservedValue(), after, "sent");
                                } else {
                                    assertEquals(7, header.reservedValue());
                                }
                            },
                            10);
                    return fragments[0] == 3;
                });
    }

    @Test
    void leavesMessageTooShortForTimestampUnchanged() {
        Subscription subscription =
                ours.addSubscription(endpoint + "|channel-rcv-ts-offset=8", STREAM);
        Publication publication =
                ours.addPublication(endpoint + "|channel-snd-ts-offset=8", STREAM);
        UnsafeBuffer message = new UnsafeBuffer(new byte[15]);
        message.setMemory(0, 15, (byte) 0x55);
        Await.until("offered", () -> publication.offer(message) > 0);
        Await.until(
                "received",
                () ->
                        subscription.poll(
                                        (buffer, at, length, header) -> {
                                            assertEquals(15, length);
                                            for (int i = 0; i < length; i++) {
                                                assertEquals(0x55, buffer.getByte(at + i));
                                            }
                                        },
                                        1)
                                > 0);
    }

    @Test
    void rejectsConflictingAndUnsupportedTimestamps() {
        ours.addSubscription(endpoint + "|channel-rcv-ts-offset=8", STREAM);
        RegistrationException conflict =
                assertThrows(
                        RegistrationException.class,
                        () -> ours.addSubscription(endpoint + "|channel-rcv-ts-offset=16", STREAM));
        assertTrue(
                conflict.getMessage()
                        .contains(
                                "option conflicts with existing subscription:"
                                        + " channel-rcv-ts-offset=16"),
                conflict.getMessage());
        ours.addPublication(endpoint + "|channel-snd-ts-offset=8", STREAM);
        assertThrows(
                RegistrationException.class,
                () -> ours.addPublication(endpoint + "|channel-snd-ts-offset=16", STREAM));
        RegistrationException overRdma =
                assertThrows(
                        RegistrationException.class,
                        () ->
                                ours.addSubscription(
                                        "aeron:rdma?endpoint=127.0.0.1:1"
                                                + "|channel-rcv-ts-offset=8",
                                        STREAM));
        assertTrue(overRdma.getMessage().contains("a one-sided Write"), overRdma.getMessage());
        ours.addSubscription("aeron:ipc?channel-rcv-ts-offset=8|media-rcv-ts-offset=0", STREAM);
    }
}
