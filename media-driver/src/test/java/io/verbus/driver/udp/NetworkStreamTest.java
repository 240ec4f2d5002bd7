// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;

import org.agrona.collections.MutableLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Publications and images over a transport, in one driver. */
@Timeout(60)
class NetworkStreamTest {
    private static final String CHANNEL = "verbus:rdma?endpoint=localhost:7400";
    private static final int STREAM = 20;
    private static final int LENGTH = 200;

    private final Numbers numbers = new Numbers();
    private final LoopTransport.Provider provider = new LoopTransport.Provider();
    private final List<String> expectedErrors = new ArrayList<>();
    private final List<Image> gone = new ArrayList<>();
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver = launch(Drivers.config());
        bus =
                Bus.connect(
                        Drivers.context(driver)
                                .unavailableImageHandler(
                                        image -> {
                                            synchronized (gone) {
                                                gone.add(image);
                                            }
                                        }));
    }

    private MediaDriver launch(DriverConfigBuilder config) {
        return MediaDriver.launch(
                config.directory(DriverDirectory.uniquePath()).build(), List.of(provider));
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        assertFalse(Files.exists(driver.directory()), "directory is left");
        assertEquals(expectedErrors.size(), errors.size(), errors.toString());
        for (int i = 0; i < errors.size(); i++) {
            assertTrue(errors.get(i).contains(expectedErrors.get(i)), errors.toString());
        }
    }

    private int goneCount() {
        synchronized (gone) {
            return gone.size();
        }
    }

    @Test
    void readsStreamThatWrapsLogTenTimes() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        MutableLong sent = new MutableLong();
        List<Long> values = new ArrayList<>();
        Await.done(
                "33 terms read",
                () -> {
                    boolean isSent = publication.position() >= 33L * 64 * 1024;
                    if (!isSent && numbers.tryOffer(publication, sent.value, 1000)) {
                        sent.value++;
                    }
                    Numbers.poll(subscription, values);
                    return isSent && values.size() >= sent.value;
                });
        assertEquals(Numbers.range(0, sent.value), values);
    }

    @Test
    void publisherWaitsForSubscriberAndItsCredit() {
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        assertEquals(Publication.NOT_CONNECTED, numbers.result(publication, 0, LENGTH));
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        numbers.offer(publication, 0, 1, LENGTH);
        MutableLong next = new MutableLong(1);
        Await.until(
                "held back",
                () -> {
                    long result = numbers.result(publication, next.value, 1000);
                    next.value += result > 0 ? 1 : 0;
                    return result == Publication.BACK_PRESSURED;
                });
        long sent = next.value;
        assertEquals(Numbers.range(0, sent), Numbers.drain(subscription, (int) sent));
        numbers.offer(publication, sent, sent + 1, LENGTH);
        assertEquals(Numbers.range(sent, sent + 1), Numbers.drain(subscription, 1));
    }

    @Test
    void lateSubscriberJoinsAtSlowestPosition() {
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        numbers.offer(publication, 0, 10, LENGTH);
        assertEquals(Numbers.range(0, 10), Numbers.drain(first, 10));
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        Await.until("joined", second::isConnected);
        numbers.offer(publication, 10, 20, LENGTH);
        assertEquals(Numbers.range(10, 20), Numbers.drain(first, 10));
        Subscription third = bus.addSubscription(CHANNEL, STREAM);
        Await.until("joined", third::isConnected);
        assertEquals(Numbers.range(10, 20), Numbers.drain(third, 10));
        assertEquals(Numbers.range(10, 20), Numbers.drain(second, 10));
        assertEquals(1, Drivers.counter(bus, SystemCounter.IMAGES));
        assertEquals(3, Drivers.count(bus, CounterTypes.SUBSCRIBER_POSITION));
    }

    @Test
    void rejectsOffersAfterLastSubscriberLeaves() {
        Publication publication = bus.addExclusivePublication(CHANNEL, STREAM);
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        numbers.offer(publication, 0, 10, LENGTH);
        assertEquals(Numbers.range(0, 10), Numbers.drain(first, 10));
        first.close();
        Await.until("not connected", () -> !publication.isConnected());
        numbers.offerToNobody(publication, LENGTH);
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        numbers.offer(publication, 10, 20, LENGTH);
        assertEquals(Numbers.range(10, 20), Numbers.drain(second, 10));
    }

    /** A position written by another client is not trusted. */
    @Test
    void detachesOnlySubscriberWithInvalidPosition() {
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        numbers.offer(publication, 0, 10, LENGTH);
        assertEquals(Numbers.range(0, 10), Numbers.drain(first, 10));
        Drivers.overwritePositions(bus, 1_000_000_000);
        Await.until("image gone", () -> goneCount() == 1);
        assertEquals(1_000_000_000, gone.getFirst().position());
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        numbers.offer(publication, 10, 20, LENGTH);
        Numbers.drainRange(second, 10, 20);
    }

    @Test
    void releasesImageAndEndpointAfterLastSubscriberLeaves() {
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        numbers.offer(publication, 0, 10, LENGTH);
        first.close();
        assertEquals(Numbers.range(0, 10), Numbers.drain(second, 10));
        second.close();
        Await.until("released", () -> Drivers.counter(bus, SystemCounter.IMAGES) == 0);
        Await.until("not connected", () -> !publication.isConnected());
        Await.until("one log", () -> Drivers.logs(driver).size() == 1);
        assertEquals(0, Drivers.count(bus, CounterTypes.SUBSCRIBER_POSITION));
        assertEquals(0, Drivers.count(bus, CounterTypes.RECEIVER_POSITION));
        assertEquals(0, provider.opened.endpointCount());
    }

    @Test
    void readsClosedPublicationToEndBeforeImageCloses() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        numbers.offer(publication, 0, 50, LENGTH);
        long end = publication.position();
        publication.close();
        assertEquals(Numbers.range(0, 50), Numbers.drain(subscription, 50));
        Await.until("image gone", () -> goneCount() == 1);
        assertTrue(gone.getFirst().isEndOfStream());
        assertEquals(end, gone.getFirst().position());
        Await.until("no log", () -> Drivers.logs(driver).isEmpty());
        assertEquals(0, Drivers.count(bus, CounterTypes.SENDER_POSITION));
        assertEquals(0, Drivers.count(bus, CounterTypes.SENDER_BACK_PRESSURE));
    }

    @Test
    void readsReceivedMessagesAfterPeerLossThenNewImage() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        numbers.offer(publication, 0, 50, LENGTH);
        Await.until("sent", () -> sum(CounterTypes.SENDER_POSITION) == publication.position());
        provider.opened.cut = true;
        Await.until("lost", () -> Drivers.counter(bus, SystemCounter.IMAGES_LOST) == 1);
        assertEquals(Numbers.range(0, 50), Numbers.drain(subscription, 50));
        Await.until("image gone", () -> goneCount() == 1);
        assertTrue(gone.getFirst().isEndOfStream());
        numbers.offer(publication, 50, 100, LENGTH);
        assertEquals(Numbers.range(50, 100), Numbers.drain(subscription, 50));
    }

    private long sum(int typeId) {
        long[] sum = new long[1];
        bus.counters()
                .forEach(
                        (id, type, key, label) -> {
                            if (type == typeId) {
                                sum[0] += bus.counters().getCounterValue(id);
                            }
                        });
        return sum[0];
    }

    @Test
    void invalidFrameClosesImageAndIsLogged() {
        expectedErrors.add("has rejected the image of stream " + STREAM);
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Subscription second = bus.addSubscription(CHANNEL, STREAM, image -> {}, image -> {});
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        numbers.offer(publication, 0, 1, LENGTH);
        assertEquals(Numbers.range(0, 1), Numbers.drain(first, 1));
        Image image = first.imageBySessionId(publication.sessionId());
        corrupt(image);
        Await.until(
                "rejected",
                () -> {
                    Numbers.discard(first);
                    return Drivers.counter(bus, SystemCounter.IMAGES_REJECTED) == 1;
                });
        Await.until("closed", image::isClosed);
        Await.until(
                "all told",
                () ->
                        second.imageBySessionId(publication.sessionId()) == null
                                || second.imageBySessionId(publication.sessionId()).imageId()
                                        != image.imageId());
    }

    private void corrupt(Image image) {
        java.nio.file.Path file =
                driver.directory().resolve("images").resolve(image.imageId() + ".logbuffer");
        try (io.verbus.logbuffer.LogBuffers log = io.verbus.logbuffer.LogBuffers.map(file, false)) {
            int offset =
                    io.verbus.logbuffer.LogLayout.termOffset(
                            image.position(), log.spec().termLength());
            log.term(0).putLongRelease(offset, 31);
        }
    }

    @Test
    void reportsFailureToOpenTransportToClient() {
        provider.failure = "there is no RDMA device: load rdma_rxe";
        RegistrationException refused =
                Assertions.assertThrows(
                        RegistrationException.class, () -> bus.addPublication(CHANNEL, STREAM));
        assertEquals(ErrorCode.GENERIC_ERROR, refused.code());
        assertTrue(refused.getMessage().contains("there is no RDMA device"));
        provider.failure = null;
        bus.addPublication(CHANNEL, STREAM);
    }

    @Test
    void rejectsMediaWithoutTransport() {
        try (MediaDriver bare =
                        MediaDriver.launch(
                                Drivers.config().directory(DriverDirectory.uniquePath()).build(),
                                List.of());
                Bus client = Drivers.connect(bare)) {
            RegistrationException refused =
                    Assertions.assertThrows(
                            RegistrationException.class,
                            () -> client.addSubscription(CHANNEL, STREAM));
            assertEquals(ErrorCode.NOT_SUPPORTED, refused.code());
            assertTrue(refused.getMessage().contains("only for ipc"), refused.getMessage());
        }
    }

    @Test
    void rejectsOptionUnknownToAllTransports() {
        DriverConfigBuilder unknown = Drivers.config().transportOption("rdma.knwon", "1");
        String text = Drivers.refusal(() -> launch(unknown));
        assertTrue(text.contains("rdma.knwon"), text);
        assertTrue(text.contains("rdma.known"), text);
        text = Drivers.refusal(() -> launch(Drivers.config().transportOption("dcp.known", "1")));
        assertTrue(text.contains("dcp.known belongs to no loaded transport"), text);
    }
}
