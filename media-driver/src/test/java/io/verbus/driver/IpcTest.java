// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.collections.MutableLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

@Timeout(60)
class IpcTest {
    private static final String CHANNEL = "verbus:ipc";
    private static final int STREAM = 10;

    private final Numbers numbers = new Numbers();
    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        bus = Drivers.connect(driver);
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        assertFalse(Files.exists(driver.directory()), "directory is left");
        assertEquals(List.of(), errors);
    }

    @Test
    void sharesLogOfStreamExceptForExclusivePublications() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication first = bus.addPublication(CHANNEL, STREAM);
        try (Bus other = Drivers.connect(driver)) {
            Publication second = other.addPublication(CHANNEL, STREAM);
            ExclusivePublication third = other.addExclusivePublication(CHANNEL, STREAM);
            assertEquals(first.sessionId(), second.sessionId());
            assertNotEquals(first.sessionId(), third.sessionId());
            Await.until("two images", () -> subscription.imageCount() == 2);
            numbers.offer(first, 1, 100);
            numbers.offer(second, 2, 100);
            numbers.offer(third, 3, 100);
            assertEquals(
                    List.of(1L, 2L, 3L), Numbers.drain(subscription, 3).stream().sorted().toList());
            first.close();
            numbers.offer(second, 4, 100);
            assertEquals(List.of(4L), Numbers.drain(subscription, 1));
        }
        Await.until("no image", subscription::hasNoImages);
    }

    @Test
    void deliversEveryMessageToEverySubscription() {
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            subscriptions.add(bus.addSubscription(CHANNEL, STREAM));
        }
        for (Subscription subscription : subscriptions) {
            Await.until("connected", subscription::isConnected);
        }
        for (int i = 0; i < 100; i++) {
            numbers.offer(publication, i, 64);
        }
        for (Subscription subscription : subscriptions) {
            assertEquals(Numbers.range(0, 100), Numbers.drain(subscription, 100));
        }
    }

    @Test
    void readsStreamThatWrapsLogTenTimes() {
        Publication publication = bus.addPublication(CHANNEL + "?term-length=64k", STREAM);
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        MutableLong received = new MutableLong();
        MutableLong sent = new MutableLong();
        FragmentHandler handler =
                (buffer, offset, length, header) -> {
                    assertEquals(received.value, buffer.getLong(offset));
                    assertEquals(lengthOf(received.value), length);
                    received.value++;
                };
        Await.done(
                "35 terms read",
                () -> {
                    boolean isSent = publication.position() >= 35L * 64 * 1024;
                    if (!isSent
                            && numbers.tryOffer(publication, sent.value, lengthOf(sent.value))) {
                        sent.value++;
                    }
                    subscription.poll(handler, 10);
                    return isSent && received.value == sent.value;
                });
    }

    private static int lengthOf(long number) {
        return Long.BYTES + (int) (number * 37 % 1300);
    }

    @Test
    void slowSubscriberCausesBackPressure() {
        holdsBack(bus, bus.addPublication(CHANNEL, STREAM), 2 * 64 * 1024);
    }

    @Test
    void slowSubscriberCausesBackPressureOnExclusivePublication() {
        holdsBack(bus, bus.addExclusivePublication(CHANNEL, STREAM), 2 * 64 * 1024);
    }

    @Test
    void slowSubscriberCausesBackPressureAtDriverWindow() {
        int window = 16 * 1024;
        try (MediaDriver other = MediaDriver.launchEmbedded(Drivers.config().ipcWindow(window));
                Bus client = Drivers.connect(other)) {
            holdsBack(client, client.addExclusivePublication(CHANNEL, STREAM), window);
        }
    }

    private void holdsBack(Bus client, Publication publication, int window) {
        Subscription slow = client.addSubscription(CHANNEL, STREAM);
        Subscription fast = client.addSubscription(CHANNEL, STREAM);
        Await.until("connected", () -> slow.isConnected() && fast.isConnected());
        MutableLong next = new MutableLong();
        Await.until(
                "held back",
                () -> {
                    long result = numbers.result(publication, next.value, 1000);
                    next.value += result > 0 ? 1 : 0;
                    Numbers.discard(fast);
                    return result == Publication.BACK_PRESSURED && next.value >= 10;
                });
        long sent = next.value;
        long ahead = publication.position() - window;
        assertTrue(ahead >= 0 && ahead < 1056, () -> "window missed by " + ahead);
        List<Long> values = Numbers.drain(slow, (int) sent);
        assertEquals(Numbers.range(0, sent), values);
        Await.until("continues", () -> numbers.result(publication, 0, 1000) > 0);
    }

    @Test
    void lateSubscriberJoinsAtCurrentPosition() {
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        assertEquals(Publication.NOT_CONNECTED, numbers.result(publication, 0, 8));
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Await.until("connected", publication::isConnected);
        numbers.offer(publication, 1, 8);
        numbers.offer(publication, 2, 8);
        first.close();
        Await.until("not connected", () -> !publication.isConnected());
        Await.until(
                "refused", () -> numbers.result(publication, 0, 8) == Publication.NOT_CONNECTED);
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        Await.until("image", () -> second.imageCount() == 1);
        second.forEachImage(image -> assertEquals(publication.position(), image.joinPosition()));
        numbers.offer(publication, 3, 8);
        assertEquals(List.of(3L), Numbers.drain(second, 1));
    }

    @Test
    void rejectsOffersAfterLastSubscriberLeaves() {
        refusesWithoutSubscribers(bus.addPublication(CHANNEL, STREAM));
    }

    @Test
    void exclusivePublicationRejectsOffersAfterLastSubscriberLeaves() {
        refusesWithoutSubscribers(bus.addExclusivePublication(CHANNEL, STREAM));
    }

    private void refusesWithoutSubscribers(Publication publication) {
        for (int round = 0; round < 3; round++) {
            Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
            numbers.offer(publication, 0, 50, 1000);
            assertEquals(Numbers.range(0, 50), Numbers.drain(subscription, 50));
            subscription.close();
            Await.until("not connected", () -> !publication.isConnected());
            numbers.offerToNobody(publication, 1000);
            assertEquals(publication.position(), publication.positionLimit());
        }
    }

    /** A position written by another client is not trusted. */
    @Test
    void detachesOnlySubscriberWithInvalidPosition() {
        for (long position : new long[] {1_000_000_000, 64 * 1024, 1, -64}) {
            List<String> reasons = Collections.synchronizedList(new ArrayList<>());
            try (Bus other =
                            Bus.connect(
                                    Drivers.context(driver)
                                            .unavailableImageHandler(
                                                    image -> reasons.add("gone")));
                    Publication publication = bus.addPublication(CHANNEL, STREAM);
                    Subscription damaged = other.addSubscription(CHANNEL, STREAM)) {
                numbers.offer(publication, 0, 20, 1000);
                assertEquals(Numbers.range(0, 20), Numbers.drain(damaged, 20));
                Drivers.overwritePositions(bus, position);
                try (Subscription sound = bus.addSubscription(CHANNEL, STREAM)) {
                    Await.until("image gone", () -> reasons.size() == 1);
                    Await.until("joined", sound::isConnected);
                    numbers.offer(publication, 20, 40, 1000);
                    Numbers.drainRange(sound, 20, 40);
                }
            }
        }
    }

    @Test
    void readsClosedPublicationToEndBeforeImageCloses() {
        List<Long> positions = Collections.synchronizedList(new ArrayList<>());
        Subscription subscription =
                bus.addSubscription(
                        CHANNEL, STREAM, image -> {}, image -> positions.add(image.position()));
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        Await.until("connected", subscription::isConnected);
        for (int i = 0; i < 20; i++) {
            numbers.offer(publication, i, 500);
        }
        long end = publication.position();
        publication.close();
        Image image = imageOf(subscription);
        assertFalse(image.isEndOfStream());
        assertEquals(20, Numbers.drain(subscription, 20).size());
        Await.until("end of stream", image::isEndOfStream);
        Await.until("unavailable", () -> positions.size() == 1);
        assertEquals(end, positions.getFirst());
        Await.until("released", () -> Drivers.counter(bus, SystemCounter.PUBLICATIONS) == 0);
        Await.until("deleted", () -> Drivers.counter(bus, SystemCounter.LOG_BYTES) == 0);
        assertEquals(0, Drivers.count(bus, CounterTypes.PUBLISHER_LIMIT));
        assertEquals(0, Drivers.count(bus, CounterTypes.SUBSCRIBER_POSITION));
    }

    /** Like cluster services that replay a short log. */
    @Test
    void lateSubscriberReadsClosedPublicationUntilDrained() {
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        Await.until("connected", first::isConnected);
        for (int i = 0; i < 20; i++) {
            numbers.offer(publication, i, 500);
        }
        publication.close();
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        Await.until("joined", () -> second.imageCount() == 1);
        assertEquals(20, Numbers.drain(first, 20).size());
        Await.until("ended for the first", first::hasNoImages);
        assertEquals(20, Numbers.drain(second, 20).size());
        Await.until("ended for the second", second::hasNoImages);
        Subscription late = bus.addSubscription(CHANNEL, STREAM);
        Await.until("released", () -> Drivers.counter(bus, SystemCounter.PUBLICATIONS) == 0);
        assertTrue(late.hasNoImages());
    }

    private static Image imageOf(Subscription subscription) {
        List<Image> images = new ArrayList<>();
        subscription.forEachImage(images::add);
        return images.getFirst();
    }

    @Test
    void padsClaimLeftOpenAtClose() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        Await.until("connected", subscription::isConnected);
        numbers.offer(publication, 1, 8);
        Await.until(
                "claimed",
                () -> publication.tryClaim(64, new io.verbus.logbuffer.BufferClaim()) > 0);
        numbers.offer(publication, 2, 8);
        publication.close();
        assertEquals(List.of(1L, 2L), Numbers.drain(subscription, 2));
        Await.until("no image", subscription::hasNoImages);
        Await.until("counted", () -> Drivers.counter(bus, SystemCounter.UNBLOCKED) == 1);
    }

    @Test
    void receivesOnlyRequestedSession() {
        Subscription subscription = bus.addSubscription(CHANNEL + "?session-id=77", STREAM);
        ExclusivePublication other =
                bus.addExclusivePublication(CHANNEL + "?session-id=78", STREAM);
        assertEquals(Publication.NOT_CONNECTED, numbers.result(other, 0, 8));
        ExclusivePublication wanted =
                bus.addExclusivePublication(CHANNEL + "?session-id=77", STREAM);
        numbers.offer(wanted, 9, 8);
        assertEquals(List.of(9L), Numbers.drain(subscription, 1));
        assertFalse(other.isConnected());
        assertTrue(
                Drivers.refusal(
                                () ->
                                        bus.addExclusivePublication(
                                                CHANNEL + "?session-id=77", STREAM))
                        .contains("session-id 77 is already used"));
    }

    @Test
    void rejectsSharedPublicationWithAnotherTermLength() {
        bus.addPublication(CHANNEL, STREAM);
        String text =
                Drivers.refusal(() -> bus.addPublication(CHANNEL + "?term-length=1m", STREAM));
        assertTrue(text.contains("term-length 1048576"), text);
    }
}
