// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.aeron.AeronPeer;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A spy joins after the stream has ended, with Verbus' driver and with Aeron's. */
@Timeout(120)
class LateSpyTest {
    private static final int STREAM = 10;
    private static final int MESSAGES = 20;
    private static final UnsafeBuffer MESSAGE = new UnsafeBuffer(new byte[1000]);

    @TempDir Path folder;

    /** Test with the client of one driver. */
    private interface Scenario {
        void run(Aeron aeron, String endpoint);
    }

    private void run(String name, Scenario scenario) throws IOException {
        String endpoint = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        if (name.equals("Aeron")) {
            try (AeronPeer peer = new AeronPeer(folder.resolve("aeron"))) {
                scenario.run(peer.client(), endpoint);
                assertEquals(List.of(), peer.errors());
            }
            return;
        }
        try (MediaDriver driver = MediaDriver.launchEmbedded(Drivers.config());
                Aeron aeron =
                        Aeron.connect(
                                new Aeron.Context()
                                        .aeronDirectoryName(driver.directory().toString()))) {
            scenario.run(aeron, endpoint);
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Verbus", "Aeron"})
    void readsMessagesThatOtherSpyHasNotRead(String driver) throws IOException {
        run(
                driver,
                (aeron, endpoint) -> {
                    try (Subscription first = spy(aeron, endpoint)) {
                        publishAndClose(aeron, endpoint, first);
                        try (Subscription second = spy(aeron, endpoint)) {
                            Await.until("image", 20, () -> second.imageCount() == 1);
                            assertEquals(
                                    first.imageAtIndex(0).joinPosition(),
                                    second.imageAtIndex(0).joinPosition());
                            long[] counts = readToEnd(first, second);
                            assertEquals(MESSAGES, counts[0]);
                            assertEquals(MESSAGES, counts[1]);
                        }
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"Verbus", "Aeron"})
    void receivesNoImageOnceEverythingIsRead(String driver) throws IOException {
        run(
                driver,
                (aeron, endpoint) -> {
                    try (Subscription first = spy(aeron, endpoint)) {
                        publishAndClose(aeron, endpoint, first);
                        assertEquals(MESSAGES, readToEnd(first)[0]);
                        try (Subscription second = spy(aeron, endpoint)) {
                            assertTrue(second.hasNoImages());
                        }
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"Verbus", "Aeron"})
    void readsMessagesNotYetSentToSlowReceiver(String driver) throws IOException {
        run(
                driver,
                (aeron, endpoint) -> {
                    try (Subscription receiver = aeron.addSubscription(endpoint, STREAM);
                            Subscription first = spy(aeron, endpoint)) {
                        long end = fillAndClose(aeron, endpoint, first);
                        try (Subscription second = spy(aeron, endpoint)) {
                            Await.until("image", 20, () -> second.imageCount() == 1);
                            Image image = second.imageAtIndex(0);
                            long joined = image.joinPosition();
                            assertTrue(0 < joined && joined < end, "joined at " + joined);
                            long[] counts = readToEnd(receiver, first, second);
                            assertEquals(counts[0], counts[1]);
                            assertTrue(counts[2] < counts[0]);
                            assertEquals(end, image.position());
                        }
                    }
                });
    }

    private static Subscription spy(Aeron aeron, String endpoint) {
        return aeron.addSubscription("aeron-spy:" + endpoint, STREAM);
    }

    private static void publishAndClose(Aeron aeron, String endpoint, Subscription spy) {
        try (ExclusivePublication publication =
                aeron.addExclusivePublication(endpoint + "|ssc=true|term-length=64k", STREAM)) {
            Await.until("connected", publication::isConnected);
            Await.until("image of spy", () -> spy.imageCount() == 1);
            for (int i = 0; i < MESSAGES; i++) {
                Await.until("offered", () -> publication.offer(MESSAGE) > 0);
            }
        }
        Await.until("ended", () -> spy.imageAtIndex(0).endOfStreamPosition() < Long.MAX_VALUE);
    }

    /** Offers more than the receiver's window; returns the end position of the stream. */
    private static long fillAndClose(Aeron aeron, String endpoint, Subscription spy) {
        long end;
        try (ExclusivePublication publication =
                aeron.addExclusivePublication(endpoint + "|term-length=64k", STREAM)) {
            Await.until("connected", publication::isConnected);
            Await.until("image of spy", () -> spy.imageCount() == 1);
            Await.until(
                    "held back",
                    () ->
                            publication.offer(MESSAGE) == ExclusivePublication.BACK_PRESSURED
                                    && publication.position() > 32 * 1024);
            Await.until("sent", () -> isSent(aeron, publication.registrationId()));
            end = publication.position();
        }
        return end;
    }

    /** Returns whether the driver has sent part of a publication. */
    private static boolean isSent(Aeron aeron, long registrationId) {
        CountersReader counters = aeron.countersReader();
        int id =
                counters.findByTypeIdAndRegistrationId(
                        AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID, registrationId);
        return id != CountersReader.NULL_COUNTER_ID && counters.getCounterValue(id) > 0;
    }

    /**
     * Number of messages that each spy reads; with Aeron's driver, images end when all spies have
     * read everything.
     */
    private static long[] readToEnd(Subscription... subscriptions) {
        long[] counts = new long[subscriptions.length];
        Await.until(
                "read",
                20,
                () -> {
                    boolean isRead = true;
                    for (int i = 0; i < counts.length; i++) {
                        int index = i;
                        subscriptions[i].poll(
                                (buffer, offset, length, header) -> counts[index]++, 10);
                        isRead &= subscriptions[i].hasNoImages();
                    }
                    return isRead;
                });
        return counts;
    }
}
