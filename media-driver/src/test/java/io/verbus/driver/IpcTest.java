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
import io.verbus.logbuffer.LogLayout;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

@Timeout(60)
class IpcTest {
    private static final String CHANNEL = "verbus:ipc";
    private static final int STREAM = 10;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[8192]);
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

    private void offer(Publication publication, long value, int length) {
        message.putLong(0, value);
        Await.until("offered", () -> publication.offer(message, 0, length) > 0);
    }

    private static List<Long> drain(Subscription subscription, int count) {
        List<Long> values = new ArrayList<>();
        Await.until(
                count + " messages",
                () -> {
                    subscription.poll(
                            (buffer, offset, length, header) -> values.add(buffer.getLong(offset)),
                            10);
                    return values.size() >= count;
                });
        return values;
    }

    @Test
    void publishersOfOneStreamShareALogAndExclusiveOnesHaveTheirOwn() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication first = bus.addPublication(CHANNEL, STREAM);
        try (Bus other = Drivers.connect(driver)) {
            Publication second = other.addPublication(CHANNEL, STREAM);
            ExclusivePublication third = other.addExclusivePublication(CHANNEL, STREAM);
            assertEquals(first.sessionId(), second.sessionId());
            assertNotEquals(first.sessionId(), third.sessionId());
            Await.until("two images", () -> subscription.imageCount() == 2);
            offer(first, 1, 100);
            offer(second, 2, 100);
            offer(third, 3, 100);
            assertEquals(List.of(1L, 2L, 3L), drain(subscription, 3).stream().sorted().toList());
            first.close();
            offer(second, 4, 100);
            assertEquals(List.of(4L), drain(subscription, 1));
        }
        Await.until("no image", subscription::hasNoImages);
    }

    @Test
    void everySubscriptionReceivesEveryMessage() {
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            subscriptions.add(bus.addSubscription(CHANNEL, STREAM));
        }
        for (Subscription subscription : subscriptions) {
            Await.until("connected", subscription::isConnected);
        }
        for (int i = 0; i < 100; i++) {
            offer(publication, i, 64);
        }
        for (Subscription subscription : subscriptions) {
            assertEquals(
                    Stream.iterate(0L, i -> i + 1).limit(100).toList(), drain(subscription, 100));
        }
    }

    @Test
    void aSmallTermWrapsTenTimes() {
        Publication publication = bus.addPublication(CHANNEL + "?term-length=64k", STREAM);
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        MutableLong received = new MutableLong();
        long sent = 0;
        while (publication.position() < 35L * 64 * 1024) {
            message.putLong(0, sent);
            int length = 8 + (int) (sent * 37 % 1300);
            if (publication.offer(message, 0, length) > 0) {
                sent++;
            }
            subscription.poll(
                    (buffer, offset, size, header) -> {
                        assertEquals(received.value, buffer.getLong(offset));
                        assertEquals(8 + (int) (received.value * 37 % 1300), size);
                        received.value++;
                    },
                    10);
        }
        long total = sent;
        Await.until(
                "all received",
                () -> {
                    subscription.poll((buffer, offset, size, header) -> received.value++, 10);
                    return received.value == total;
                });
    }

    @Test
    void aSlowSubscriberHoldsThePublisherBack() {
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        Subscription slow = bus.addSubscription(CHANNEL, STREAM);
        Subscription fast = bus.addSubscription(CHANNEL, STREAM);
        Await.until("connected", () -> slow.isConnected() && fast.isConnected());
        long sent = 0;
        long result;
        do {
            message.putLong(0, sent);
            result = publication.offer(message, 0, 1000);
            if (result > 0) {
                sent++;
            }
            fast.poll((buffer, offset, length, header) -> {}, 10);
        } while (result != Publication.BACK_PRESSURED || sent < 10);
        assertTrue(publication.position() <= 32 * 1024 + 1056, "past the window");
        List<Long> values = drain(slow, (int) sent);
        assertEquals(Stream.iterate(0L, i -> i + 1).limit(sent).toList(), values);
        Await.until("goes on", () -> publication.offer(message, 0, 1000) > 0);
    }

    @Test
    void withoutSubscribersAPublisherIsNotConnectedAndALateOneStartsWithNews() {
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        assertEquals(Publication.NOT_CONNECTED, publication.offer(message, 0, 8));
        Subscription first = bus.addSubscription(CHANNEL, STREAM);
        Await.until("connected", publication::isConnected);
        offer(publication, 1, 8);
        offer(publication, 2, 8);
        first.close();
        Await.until("not connected", () -> !publication.isConnected());
        Await.until("refused", () -> publication.offer(message, 0, 8) == Publication.NOT_CONNECTED);
        Subscription second = bus.addSubscription(CHANNEL, STREAM);
        Await.until("image", () -> second.imageCount() == 1);
        second.forEachImage(image -> assertEquals(publication.position(), image.joinPosition()));
        offer(publication, 3, 8);
        assertEquals(List.of(3L), drain(second, 1));
    }

    @Test
    void aClosedPublicationIsReadToItsEndBeforeTheImageGoes() {
        List<Long> positions = new ArrayList<>();
        Subscription subscription =
                bus.addSubscription(
                        CHANNEL, STREAM, image -> {}, image -> positions.add(image.position()));
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        Await.until("connected", subscription::isConnected);
        for (int i = 0; i < 20; i++) {
            offer(publication, i, 500);
        }
        long end = publication.position();
        publication.close();
        Image image = imageOf(subscription);
        assertFalse(image.isEndOfStream());
        assertEquals(20, drain(subscription, 20).size());
        Await.until("end of stream", image::isEndOfStream);
        Await.until("unavailable", () -> positions.size() == 1);
        assertEquals(end, positions.getFirst());
        Await.until("released", () -> Drivers.counter(bus, SystemCounter.PUBLICATIONS) == 0);
        Await.until("deleted", () -> Drivers.counter(bus, SystemCounter.LOG_BYTES) == 0);
        assertEquals(0, Drivers.count(bus, CounterTypes.PUBLISHER_LIMIT));
        assertEquals(0, Drivers.count(bus, CounterTypes.SUBSCRIBER_POSITION));
    }

    private static Image imageOf(Subscription subscription) {
        List<Image> images = new ArrayList<>();
        subscription.forEachImage(images::add);
        return images.getFirst();
    }

    @Test
    void aClaimLeftOpenAtCloseBecomesPaddingAndTheStreamEnds() {
        Subscription subscription = bus.addSubscription(CHANNEL, STREAM);
        Publication publication = bus.addPublication(CHANNEL, STREAM);
        Await.until("connected", subscription::isConnected);
        offer(publication, 1, 8);
        Await.until(
                "claimed",
                () -> publication.tryClaim(64, new io.verbus.logbuffer.BufferClaim()) > 0);
        offer(publication, 2, 8);
        publication.close();
        assertEquals(List.of(1L, 2L), drain(subscription, 2));
        Await.until("no image", subscription::hasNoImages);
        assertEquals(1, Drivers.counter(bus, SystemCounter.UNBLOCKED));
    }

    @Test
    void aSubscriptionForOneSessionReceivesOnlyThat() {
        Subscription subscription = bus.addSubscription(CHANNEL + "?session-id=77", STREAM);
        ExclusivePublication other =
                bus.addExclusivePublication(CHANNEL + "?session-id=78", STREAM);
        assertEquals(Publication.NOT_CONNECTED, other.offer(message, 0, 8));
        ExclusivePublication wanted =
                bus.addExclusivePublication(CHANNEL + "?session-id=77", STREAM);
        offer(wanted, 9, 8);
        assertEquals(List.of(9L), drain(subscription, 1));
        assertFalse(other.isConnected());
        assertTrue(
                Drivers.refusal(
                                () ->
                                        bus.addExclusivePublication(
                                                CHANNEL + "?session-id=77", STREAM))
                        .contains("session-id 77 is taken"));
    }

    @Test
    void aSharedPublicationThatAsksForAnotherTermLengthIsRefused() {
        bus.addPublication(CHANNEL, STREAM);
        String text =
                Drivers.refusal(() -> bus.addPublication(CHANNEL + "?term-length=1m", STREAM));
        assertTrue(text.contains("term-length 1048576"), text);
        assertEquals(64 * 1024, LogLayout.MIN_TERM_LENGTH);
    }
}
