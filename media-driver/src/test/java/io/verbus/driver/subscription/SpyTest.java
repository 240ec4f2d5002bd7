// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;
import io.verbus.logbuffer.BufferClaim;

import org.agrona.collections.MutableLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Subscriptions that read the log of a publication in the same driver. */
@Timeout(60)
class SpyTest {
    private static final String CHANNEL = "verbus:rdma?endpoint=localhost:7400";
    private static final String SPY = "verbus-spy:rdma?endpoint=localhost:7400";
    private static final int STREAM = 20;
    private static final int TERM = 64 * 1024;
    private static final int LENGTH = 1000;

    private final Numbers numbers = new Numbers();
    private final LoopTransport.Provider provider = new LoopTransport.Provider();
    private final List<Image> available = Collections.synchronizedList(new ArrayList<>());
    private final List<Image> gone = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launch(
                        Drivers.config().directory(DriverDirectory.uniquePath()).build(),
                        List.of(provider));
        bus =
                Bus.connect(
                        Drivers.context(driver)
                                .availableImageHandler(available::add)
                                .unavailableImageHandler(gone::add));
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        assertEquals(List.of(), errors);
    }

    @Test
    void readsFromJoinPosition() {
        try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM);
                Publication publication = bus.addPublication(CHANNEL, STREAM)) {
            numbers.offer(publication, 0, 10, LENGTH);
            assertEquals(Numbers.range(0, 10), Numbers.drain(receiver, 10));
            try (Subscription spy = bus.addSubscription(SPY, STREAM)) {
                Await.until("image", spy::isConnected);
                Await.until("both are told of", () -> available.size() == 2);
                numbers.offer(publication, 10, 30, LENGTH);
                assertEquals(Numbers.range(10, 30), Numbers.drain(spy, 20));
                assertEquals(Numbers.range(10, 30), Numbers.drain(receiver, 20));
            }
        }
    }

    /**
     * A spy reads the publication's own log, in which claims are visible while they are being
     * filled.
     */
    @Test
    void waitsForCommitOfClaim() {
        try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM);
                Subscription spy = bus.addSubscription(SPY, STREAM);
                Publication publication = bus.addExclusivePublication(CHANNEL, STREAM)) {
            Await.until("connected", () -> spy.isConnected() && receiver.isConnected());
            BufferClaim claim = new BufferClaim();
            Await.until("claimed", () -> publication.tryClaim(LENGTH, claim) > 0);
            assertEquals(0, spy.poll((buffer, offset, length, header) -> {}, 10));
            assertTrue(spy.isConnected());
            claim.commit();
            int[] received = new int[1];
            Await.until(
                    "committed",
                    () -> spy.poll((buffer, offset, length, header) -> received[0]++, 10) > 0);
            assertEquals(1, received[0]);
        }
    }

    @Test
    void ignoresOtherStreamsEndpointsAndSessions() {
        try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM);
                Subscription stream = bus.addSubscription(SPY, STREAM + 1);
                Subscription endpoint =
                        bus.addSubscription("verbus-spy:rdma?endpoint=localhost:7401", STREAM);
                Subscription session = bus.addSubscription(SPY + "|session-id=2", STREAM);
                Subscription right = bus.addSubscription(SPY + "|session-id=1", STREAM);
                Publication publication = bus.addPublication(CHANNEL + "|session-id=1", STREAM)) {
            Await.until("connected", () -> right.isConnected() && receiver.isConnected());
            numbers.offer(publication, 0, 1, LENGTH);
            assertEquals(Numbers.range(0, 1), Numbers.drain(right, 1));
            assertTrue(stream.hasNoImages() && endpoint.hasNoImages() && session.hasNoImages());
        }
    }

    @Test
    void slowSpyCausesBackPressureAndReadsEverything() {
        try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM);
                Subscription spy = bus.addSubscription(SPY, STREAM);
                Publication publication = bus.addPublication(CHANNEL, STREAM)) {
            Await.until("connected", () -> spy.isConnected() && receiver.isConnected());
            MutableLong sent = new MutableLong();
            long deadlineNs = System.nanoTime() + 200_000_000;
            while (System.nanoTime() < deadlineNs) {
                if (numbers.tryOffer(publication, sent.value, LENGTH)) {
                    sent.value++;
                }
                Numbers.discard(receiver);
            }
            assertTrue(publication.position() <= TERM, "position " + publication.position());
            List<Long> values = new ArrayList<>();
            Await.done(
                    "40 terms read",
                    () -> {
                        boolean isSent = publication.position() >= 40L * TERM;
                        if (!isSent && numbers.tryOffer(publication, sent.value, LENGTH)) {
                            sent.value++;
                        }
                        Numbers.discard(receiver);
                        Numbers.poll(spy, values, 3);
                        return isSent && values.size() >= sent.value;
                    });
            assertEquals(Numbers.range(0, sent.value), values);
        }
    }

    @Test
    void spyAloneDoesNotConnectPublication() {
        try (Subscription spy = bus.addSubscription(SPY, STREAM);
                Publication publication = bus.addPublication(CHANNEL, STREAM)) {
            Await.until("image", spy::isConnected);
            Await.until(
                    "not connected",
                    () -> numbers.result(publication, 0, LENGTH) == Publication.NOT_CONNECTED);
            assertFalse(publication.isConnected());
        }
    }

    @Test
    void spyAloneConnectsPublicationWithSsc() {
        try (Publication publication = bus.addPublication(CHANNEL + "|ssc=true", STREAM)) {
            assertEquals(Publication.NOT_CONNECTED, numbers.result(publication, 0, LENGTH));
            List<Long> values = new ArrayList<>();
            MutableLong next = new MutableLong();
            try (Subscription spy = bus.addSubscription(SPY, STREAM)) {
                Await.until("connected", publication::isConnected);
                Await.until(
                        "20 terms read",
                        () -> {
                            boolean isSent = publication.position() >= 20L * TERM;
                            if (!isSent && numbers.tryOffer(publication, next.value, LENGTH)) {
                                next.value++;
                            }
                            Numbers.poll(spy, values);
                            return isSent && values.size() >= next.value;
                        });
                long sent = next.value;
                assertEquals(Numbers.range(0, sent), values);
                // A receiver joins at the spy's position, and the spy continues.
                try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM)) {
                    Await.until("receiver", receiver::isConnected);
                    numbers.offer(publication, sent, sent + 20, LENGTH);
                    assertEquals(Numbers.range(sent, sent + 20), Numbers.drain(receiver, 20));
                    assertEquals(Numbers.range(sent, sent + 20), Numbers.drain(spy, 20));
                }
                Await.until("carried again", () -> publication.isConnected());
            }
            Await.until("not connected", () -> !publication.isConnected());
        }
    }

    @Test
    void rejectsOffersAfterLastSpyLeaves() {
        try (Publication publication = bus.addPublication(CHANNEL + "|ssc=true", STREAM)) {
            Subscription first = bus.addSubscription(SPY, STREAM);
            numbers.offer(publication, 0, 10, LENGTH);
            assertEquals(Numbers.range(0, 10), Numbers.drain(first, 10));
            first.close();
            Await.until("not connected", () -> !publication.isConnected());
            numbers.offerToNobody(publication, LENGTH);
            try (Subscription second = bus.addSubscription(SPY, STREAM)) {
                numbers.offer(publication, 10, 20, LENGTH);
                assertEquals(Numbers.range(10, 20), Numbers.drain(second, 10));
            }
        }
    }

    @Test
    void detachesOnlySpyWithInvalidPosition() {
        try (Publication publication = bus.addPublication(CHANNEL + "|ssc=true", STREAM);
                Subscription first = bus.addSubscription(SPY, STREAM)) {
            numbers.offer(publication, 0, 10, LENGTH);
            assertEquals(Numbers.range(0, 10), Numbers.drain(first, 10));
            Drivers.overwritePositions(bus, 1_000_000_000);
            Await.until("image gone", () -> gone.size() == 1);
            try (Subscription second = bus.addSubscription(SPY, STREAM)) {
                numbers.offer(publication, 10, 20, LENGTH);
                Numbers.drainRange(second, 10, 20);
            }
        }
    }

    @Test
    void readsToEndOfStream() {
        try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM);
                Subscription spy = bus.addSubscription(SPY, STREAM)) {
            Publication publication = bus.addExclusivePublication(CHANNEL, STREAM);
            Await.until("connected", () -> spy.isConnected() && receiver.isConnected());
            numbers.offer(publication, 0, 20, LENGTH);
            publication.close();
            assertEquals(Numbers.range(0, 20), Numbers.drain(receiver, 20));
            assertEquals(Numbers.range(0, 20), Numbers.drain(spy, 20));
            Await.until("both ended", () -> gone.size() == 2);
            assertTrue(gone.get(0).isEndOfStream() && gone.get(1).isEndOfStream());
        }
    }

    @Test
    void publisherContinuesAfterSpyOrItsClientCloses() {
        try (Subscription receiver = bus.addSubscription(CHANNEL, STREAM);
                Publication publication = bus.addPublication(CHANNEL, STREAM)) {
            Bus other = Drivers.connect(driver);
            Subscription spy = other.addSubscription(SPY, STREAM);
            Await.until("connected", () -> spy.isConnected() && receiver.isConnected());
            Await.until(
                    "held back",
                    () -> {
                        Numbers.discard(receiver);
                        return numbers.result(publication, 0, LENGTH) == Publication.BACK_PRESSURED
                                && publication.position() > TERM / 4;
                    });
            long held = publication.position();
            other.close();
            Await.until(
                    "continues",
                    () -> {
                        Numbers.discard(receiver);
                        numbers.result(publication, 0, LENGTH);
                        return publication.position() > held + 4 * TERM;
                    });
        }
    }

    @Test
    void treatsIpcSpyAsOrdinarySubscription() {
        try (Subscription spy = bus.addSubscription("verbus-spy:ipc", STREAM);
                Publication publication = bus.addPublication("verbus:ipc", STREAM)) {
            Await.until("connected", publication::isConnected);
            numbers.offer(publication, 0, 5, LENGTH);
            assertEquals(Numbers.range(0, 5), Numbers.drain(spy, 5));
        }
    }

    @Test
    void rejectsUnsupportedDestinationsAndNamesRemedy() {
        try (Publication ipc = bus.addPublication("verbus:ipc", STREAM);
                Publication single = bus.addPublication(CHANNEL, STREAM)) {
            assertTrue(
                    Drivers.refusal(() -> ipc.addDestination(CHANNEL))
                            .contains("does not accept destinations: publish on"));
            assertTrue(
                    Drivers.refusal(() -> single.removeDestination(CHANNEL))
                            .contains("does not accept destinations: publish on"));
            assertTrue(
                    Drivers.refusal(() -> single.addDestination("verbus:ipc"))
                            .contains("is an IPC channel, which cannot be a destination: use"));
            assertTrue(
                    Drivers.refusal(() -> bus.addPublication(SPY, STREAM))
                            .contains("is a spy" + " channel"));
        }
        Publication closed = bus.addPublication(CHANNEL, STREAM);
        closed.close();
        assertTrue(
                Drivers.refusal(() -> closed.addDestination(CHANNEL))
                        .contains("is closed: add a new one"));
    }
}
