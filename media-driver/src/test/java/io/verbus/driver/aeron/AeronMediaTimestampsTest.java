// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ErrorCode;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.TransportCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.SystemEpochNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code media-rcv-ts-offset}, of subscriptions of Aeron's client. */
@Timeout(120)
class AeronMediaTimestampsTest {
    private static final int STREAM = 10;
    private static final long FILLED = 0x5555_5555_5555_5555L;

    /** The driver's clock is compared with the kernel's only at times. */
    private static final long SLACK_NS = TimeUnit.MILLISECONDS.toNanos(20);

    @TempDir Path folder;
    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final List<String> expectedErrors = new ArrayList<>();
    private MediaDriver driver;
    private Aeron ours;
    private AeronPeer peer;
    private int port;
    private String endpoint;

    @BeforeEach
    void prepare() throws IOException {
        peer = new AeronPeer(folder.resolve("aeron"));
        port = UdpInteropTest.freePort();
        endpoint = "aeron:udp?endpoint=127.0.0.1:" + port;
        launch("kernel");
    }

    private void launch(String timestamps) {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config().transportOption("udp.media-timestamps", timestamps));
        ours =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
    }

    private void stop() {
        ours.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(expectedErrors.size(), errors.size(), errors::toString);
        for (int i = 0; i < errors.size(); i++) {
            assertTrue(errors.get(i).contains(expectedErrors.get(i)), errors.get(i));
        }
    }

    @AfterEach
    void close() {
        stop();
        peer.close();
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

    private static UnsafeBuffer message(int length) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[length]);
        message.setMemory(0, length, (byte) 0x55);
        return message;
    }

    /** Sends a message, and checks that it has the time of receipt at an offset, and no other. */
    private static void exchange(Publication publication, Subscription subscription) {
        UnsafeBuffer message = message(40);
        long after = now();
        Await.until("offered", () -> publication.offer(message) > 0);
        Await.until(
                "received",
                () ->
                        subscription.poll(
                                        (buffer, at, length, header) -> {
                                            assertEquals(FILLED, buffer.getLong(at));
                                            assertTime(buffer.getLong(at + 8), after, "received");
                                            assertEquals(FILLED, buffer.getLong(at + 16));
                                            assertEquals(0, header.reservedValue());
                                        },
                                        1)
                                > 0);
    }

    private long counter(TransportCounter wanted) {
        CountersReader counters = ours.countersReader();
        long[] value = {-1};
        counters.forEach(
                (id, type, key, label) -> {
                    if (type == CounterTypes.DRIVER && label.equals(wanted.label())) {
                        value[0] = counters.getCounterValue(id);
                    }
                });
        return value[0];
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours", "theirs"})
    void writesTimeAtWhichKernelReceivedMessage(String sender) {
        Aeron sending = sender.equals("ours") ? ours : peer.client();
        Subscription subscription =
                ours.addSubscription(
                        endpoint
                                + "|media-rcv-ts-offset=8|channel-rcv-ts-offset=16"
                                + "|channel-snd-ts-offset=reserved",
                        STREAM);
        Publication publication =
                sending.addPublication(
                        endpoint
                                + "|media-rcv-ts-offset=24|channel-snd-ts-offset=reserved"
                                + "|term-length=64k",
                        STREAM);
        UnsafeBuffer message = message(40);
        for (int i = 0; i < 2_000; i++) { // terms end, too
            long after = now();
            Await.until("offered", () -> publication.offer(message) > 0);
            Await.until(
                    "received",
                    () ->
                            subscription.poll(
                                            (buffer, at, length, header) -> {
                                                long received = buffer.getLong(at + 8);
                                                long seen = buffer.getLong(at + 16);
                                                assertEquals(FILLED, buffer.getLong(at));
                                                assertTime(received, after, "received");
                                                assertTime(seen, after, "seen");
                                                assertTrue(received <= seen + SLACK_NS);
                                                assertTime(header.reservedValue(), after, "sent");
                                                assertEquals(FILLED, buffer.getLong(at + 24));
                                            },
                                            1)
                                    > 0);
        }
        assertTrue(counter(TransportCounter.UDP_KERNEL_TIMESTAMPS) >= 2_000);
        assertEquals(0, counter(TransportCounter.UDP_ADAPTER_TIMESTAMPS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours", "theirs"})
    void writesTimeIntoEachMessageOfBurst(String sender) {
        Aeron sending = sender.equals("ours") ? ours : peer.client();
        Subscription subscription =
                ours.addSubscription(endpoint + "|media-rcv-ts-offset=0", STREAM);
        ExclusivePublication publication =
                sending.addExclusivePublication(endpoint + "|term-length=1m", STREAM);
        UnsafeBuffer message = message(200);
        Await.until("connected", publication::isConnected);
        long after = now();
        int total = 20_000;
        int[] counts = new int[2]; // offered, received
        Await.until(
                "received",
                () -> {
                    for (int i = 0; i < 200 && counts[0] < total; i++) {
                        counts[0] += publication.offer(message) > 0 ? 1 : 0;
                    }
                    subscription.poll(
                            (buffer, at, length, header) -> {
                                assertTime(buffer.getLong(at), after, "received");
                                assertEquals(FILLED, buffer.getLong(at + 8));
                                counts[1]++;
                            },
                            500);
                    return counts[1] == total;
                });
    }

    @Test
    void writesReservedValueOfFirstFragmentOnly() {
        Subscription subscription =
                ours.addSubscription(endpoint + "|media-rcv-ts-offset=reserved", STREAM);
        Publication publication = ours.addPublication(endpoint, STREAM);
        UnsafeBuffer message = message(3 * publication.maxPayloadLength());
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
                                assertEquals(FILLED, buffer.getLong(at));
                                if (fragments[0]++ == 0) {
                                    assertTime(header.reservedValue(), after, "received");
                                } else {
                                    assertEquals(7, header.reservedValue());
                                }
                            },
                            10);
                    return fragments[0] == 3;
                });
    }

    @Test
    void leavesTooShortMessageUnchanged() {
        Subscription subscription =
                ours.addSubscription(endpoint + "|media-rcv-ts-offset=8", STREAM);
        Publication publication = ours.addPublication(endpoint, STREAM);
        UnsafeBuffer message = message(15);
        Await.until("offered", () -> publication.offer(message) > 0);
        Await.until(
                "received",
                () ->
                        subscription.poll(
                                        (buffer, at, length, header) -> {
                                            for (int i = 0; i < length; i++) {
                                                assertEquals(0x55, buffer.getByte(at + i));
                                            }
                                        },
                                        1)
                                > 0);
    }

    @Test
    void leavesOtherStreamsOfEndpointUnchanged() {
        Subscription plain = ours.addSubscription(endpoint, STREAM + 1);
        Subscription stamped = ours.addSubscription(endpoint + "|media-rcv-ts-offset=8", STREAM);
        exchange(ours.addPublication(endpoint, STREAM), stamped);
        Publication publication = ours.addPublication(endpoint, STREAM + 1);
        Await.until("offered", () -> publication.offer(message(40)) > 0);
        Await.until(
                "received",
                () ->
                        plain.poll(
                                        (buffer, at, length, header) ->
                                                assertEquals(FILLED, buffer.getLong(at + 8)),
                                        1)
                                > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours", "theirs"})
    void writesTimeIntoMessagesOfDynamicPublication(String sender) {
        Aeron sending = sender.equals("ours") ? ours : peer.client();
        String control = "control=127.0.0.1:" + port;
        Publication publication =
                sending.addPublication("aeron:udp?control-mode=dynamic|" + control, STREAM);
        Subscription subscription =
                ours.addSubscription("aeron:udp?" + control + "|media-rcv-ts-offset=8", STREAM);
        exchange(publication, subscription);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ours", "theirs"})
    void writesTimeIntoMessagesOfEachDestination(String sender) throws IOException {
        Aeron sending = sender.equals("ours") ? ours : peer.client();
        String second = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        Subscription subscription =
                ours.addSubscription("aeron:udp?control-mode=manual|media-rcv-ts-offset=8", STREAM);
        subscription.addDestination(endpoint);
        subscription.addDestination(second);
        exchange(sending.addPublication(endpoint, STREAM), subscription);
        exchange(sending.addPublication(second, STREAM), subscription);
    }

    @Test
    void writesTimeIntoMessagesOfMulticastGroup() {
        String group = "aeron:udp?endpoint=224.20.30.39:" + port + "|interface=127.0.0.1";
        Subscription subscription = ours.addSubscription(group + "|media-rcv-ts-offset=8", STREAM);
        exchange(ours.addPublication(group, STREAM), subscription);
    }

    @Test
    void writesKernelTimeAndWarnsIfAdapterHasNoTimestamp() {
        stop();
        launch("adapter");
        expectedErrors.add("have no timestamp from the network adapter");
        Subscription subscription =
                ours.addSubscription(endpoint + "|media-rcv-ts-offset=8", STREAM);
        Publication publication = peer.client().addPublication(endpoint, STREAM);
        exchange(publication, subscription);
        exchange(publication, subscription);
        Await.until("reported", () -> Drivers.errors(driver).size() == 1);
        String error = Drivers.errors(driver).getFirst();
        assertTrue(error.contains(endpoint + "|media-rcv-ts-offset=8"), error);
        assertTrue(counter(TransportCounter.UDP_KERNEL_TIMESTAMPS) >= 2);
        assertEquals(0, counter(TransportCounter.UDP_ADAPTER_TIMESTAMPS));
    }

    @Test
    void readsNoKernelTimestampUnlessRequested() {
        Subscription subscription = ours.addSubscription(endpoint, STREAM);
        Publication publication = ours.addPublication(endpoint, STREAM);
        Await.until("offered", () -> publication.offer(message(40)) > 0);
        Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) > 0);
        assertEquals(0, counter(TransportCounter.UDP_KERNEL_TIMESTAMPS));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "media-rcv-ts-offset=8|channel-rcv-ts-offset=15;which overlap",
                "media-rcv-ts-offset=8|channel-snd-ts-offset=8;which overlap",
                "media-rcv-ts-offset=100000;must be an offset"
            })
    void rejectsInvalidOffset(String keys, String reason) {
        assertRefused(endpoint + "|" + keys, ErrorCode.INVALID_CHANNEL, reason);
    }

    @Test
    void rejectsDifferentOffsetForSameStream() {
        ours.addSubscription(endpoint + "|media-rcv-ts-offset=8", STREAM);
        String conflict = "option conflicts with existing subscription: media-rcv-ts-offset=";
        assertRefused(
                endpoint + "|media-rcv-ts-offset=16", ErrorCode.INVALID_CHANNEL, conflict + "16");
        assertRefused(endpoint, ErrorCode.INVALID_CHANNEL, conflict + "none");
        ours.addSubscription(endpoint + "|media-rcv-ts-offset=8", STREAM);
    }

    @Test
    void rejectsOffsetOverRdma() {
        assertRefused(
                "aeron:rdma?endpoint=127.0.0.1:1|media-rcv-ts-offset=8",
                ErrorCode.NOT_SUPPORTED,
                "a one-sided Write");
    }

    private void assertRefused(String channel, ErrorCode code, String reason) {
        RegistrationException refused =
                assertThrows(
                        RegistrationException.class, () -> ours.addSubscription(channel, STREAM));
        assertEquals(code, refused.errorCode(), refused.getMessage());
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
        assertTrue(refused.getMessage().contains(channel), refused.getMessage());
    }
}
