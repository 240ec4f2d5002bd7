// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.status.PublicationErrorFrame;
import io.verbus.Bus;
import io.verbus.driver.Await;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.SystemEpochNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Aeron's unmodified client publishes and subscribes over RDMA, also with a bus at the peer. */
@Tag("lab")
@Timeout(120)
class AeronClientLabTest {
    private static final int PORT = 24_347;
    private static final int STREAM = 10;
    private static final int MESSAGES = 2_000;

    /** The driver's clock may differ slightly from the test's. */
    private static final long SLACK_NS = 20_000_000;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    private Aeron connect(Host host) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(host.directory().toString())
                        .errorHandler(errors::add));
    }

    private static String aeron(String channel) {
        return channel.replace("verbus:", "aeron:");
    }

    private static int length(long number) {
        return number % 10 == 0 ? 5_000 : 16 + (int) (number % 900);
    }

    private static UnsafeBuffer message(long number) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[length(number)]);
        buffer.putLong(0, number);
        return buffer;
    }

    /** The sending driver writes the timestamp before a Write sends the message. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void writesSendTimestamps(boolean isToDestinations) {
        try (Host b = Host.b();
                Host a = Host.a();
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String channel = aeron(b.channel(PORT));
            Subscription subscription = in.addSubscription(channel, STREAM);
            String stamped = "|channel-snd-ts-offset=8|term-length=64k";
            Publication publication =
                    out.addPublication(
                            isToDestinations
                                    ? "aeron:rdma?control-mode=manual" + stamped
                                    : Host.overWire(channel + stamped),
                            STREAM);
            if (isToDestinations) {
                publication.addDestination(Host.overWire(channel));
            }
            for (int i = 0; i < 2_000; i++) {
                UnsafeBuffer message = message(i % 9 + 1);
                long after = SystemEpochNanoClock.INSTANCE.nanoTime() - SLACK_NS;
                Await.until("offered", () -> publication.offer(message) > 0);
                Await.until(
                        "received",
                        () ->
                                subscription.poll(
                                                (buffer, at, length, header) -> {
                                                    long sent = buffer.getLong(at + 8);
                                                    long before =
                                                            SystemEpochNanoClock.INSTANCE.nanoTime()
                                                                    + SLACK_NS;
                                                    assertTrue(
                                                            sent >= after && sent <= before,
                                                            sent + " is not from " + after);
                                                },
                                                1)
                                        > 0);
            }
        }
    }

    /**
     * Many times around a log with short terms, which Aeron's exclusive publication leaves dirty.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exchangesMessagesToEndOfStream(boolean isExclusive) {
        try (Host b = Host.b();
                Host a = Host.a();
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String channel = aeron(b.channel(PORT));
            String published = Host.overWire(channel + "|term-length=64k|mtu=1408");
            Subscription subscription = in.addSubscription(channel, STREAM);
            MutableLong next = new MutableLong();
            FragmentAssembler handler =
                    new FragmentAssembler(
                            (buffer, offset, length, header) -> {
                                assertEquals(next.value, buffer.getLong(offset));
                                assertEquals(length(next.value), length);
                                next.value++;
                            });
            Image image;
            try (Publication publication =
                    isExclusive
                            ? out.addExclusivePublication(published, STREAM)
                            : out.addPublication(published, STREAM)) {
                Await.until("connected", publication::isConnected);
                Await.until("an image", () -> subscription.imageCount() == 1);
                image = subscription.imageAtIndex(0);
                long sent = 0;
                while (next.value < MESSAGES) {
                    if (sent < MESSAGES && publication.offer(message(sent)) > 0) {
                        sent++;
                    }
                    subscription.poll(handler, 10);
                }
            }
            Await.until("its end", image::isEndOfStream);
        }
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void exchangesMessagesWithBus(boolean isBusTheSender) {
        try (Host b = Host.b();
                Host a = Host.a()) {
            String channel = b.channel(PORT);
            String published = Host.overWire(channel + "|term-length=64k");
            MutableLong next = new MutableLong();
            if (isBusTheSender) {
                try (Aeron in = connect(b)) {
                    Subscription subscription = in.addSubscription(aeron(channel), STREAM);
                    Bus bus = a.connect();
                    var publication = bus.addExclusivePublication(published, STREAM);
                    FragmentAssembler handler =
                            new FragmentAssembler(
                                    (buffer, offset, length, header) ->
                                            assertEquals(next.value++, buffer.getLong(offset)));
                    long sent = 0;
                    while (next.value < MESSAGES) {
                        if (sent < MESSAGES && publication.offer(message(sent)) > 0) {
                            sent++;
                        }
                        subscription.poll(handler, 10);
                    }
                }
            } else {
                try (Aeron out = connect(a)) {
                    var subscription = b.connect().addSubscription(channel, STREAM);
                    var publication = out.addPublication(aeron(published), STREAM);
                    var handler =
                            new io.verbus.FragmentAssembler(
                                    (buffer, offset, length, header) ->
                                            assertEquals(next.value++, buffer.getLong(offset)));
                    long sent = 0;
                    while (next.value < MESSAGES) {
                        if (sent < MESSAGES && publication.offer(message(sent)) > 0) {
                            sent++;
                        }
                        subscription.poll(handler, 10);
                    }
                }
            }
        }
        assertEquals(List.of(), errors);
    }

    /** Tags, starting positions and channel counters work over RDMA as over UDP. */
    @Test
    void startsAtPositionAndReportsStateOfChannels() {
        try (Host b = Host.b();
                Host a = Host.a();
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String channel = aeron(b.channel(PORT));
            String published =
                    Host.overWire(
                            channel
                                    + "|term-length=64k|init-term-id=5|term-id=7|term-offset=96"
                                    + "|tags=1,2");
            long start = 2 * 64 * 1024 + 96;
            Subscription subscription = in.addSubscription(channel + "|tags=3", STREAM);
            Subscription second = in.addSubscription("aeron:rdma?tags=3", STREAM);
            Publication publication = out.addPublication(published, STREAM);
            assertEquals(start, publication.position());
            Subscription spy = out.addSubscription("aeron-spy:aeron:rdma?tags=1", STREAM);
            Await.until("connected", publication::isConnected);
            Await.until("images", () -> subscription.imageCount() + second.imageCount() == 2);
            assertEquals(start, subscription.imageAtIndex(0).joinPosition());
            Await.until("the spy's image", () -> spy.imageCount() == 1);
            assertEquals(1, subscription.channelStatus());
            assertEquals(subscription.localSocketAddresses(), second.localSocketAddresses());
            assertTrue(subscription.localSocketAddresses().getFirst().endsWith(":" + PORT));
            Await.until("an address", () -> !publication.localSocketAddresses().isEmpty());
            UnsafeBuffer message = message(1);
            for (int i = 0; i < 500; i++) {
                Await.until("offered", () -> publication.offer(message) > 0);
                for (Subscription each : List.of(subscription, second, spy)) {
                    Await.until("read", () -> each.poll((buffer, at, length, header) -> {}, 1) > 0);
                }
            }
        }
        assertEquals(List.of(), errors);
    }

    @Test
    void endsRevokedPublicationImmediately() {
        try (Host b = Host.b();
                Host a = Host.a();
                Aeron in = connect(b);
                Aeron out = connect(a)) {
            String channel = aeron(b.channel(PORT));
            Subscription subscription = in.addSubscription(channel, STREAM);
            ExclusivePublication publication =
                    out.addExclusivePublication(Host.overWire(channel), STREAM);
            Await.until("connected", publication::isConnected);
            Await.until("an image", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            for (int i = 0; i < 100; i++) {
                UnsafeBuffer message = message(i);
                Await.until("offered", () -> publication.offer(message) > 0);
            }
            publication.revoke();
            Await.until("ended", image::isClosed);
            assertTrue(image.isPublicationRevoked());
            assertEquals(
                    1,
                    in.countersReader()
                            .getCounterValue(
                                    SystemCounterDescriptor.PUBLICATION_IMAGES_REVOKED.id()));
        }
        assertEquals(List.of(), errors);
    }

    /** The publisher's client learns the reason, and the stream returns after its timeout. */
    @Test
    void reportsReasonOfRejectionToPublisher() {
        List<PublicationErrorFrame> told = new CopyOnWriteArrayList<>();
        try (Host b =
                        Host.start(
                                Host.addressB(),
                                builder -> builder.imageLivenessTimeoutNs(1_000_000_000L));
                Host a = Host.a();
                Aeron in = connect(b);
                Aeron out =
                        Aeron.connect(
                                new Aeron.Context()
                                        .aeronDirectoryName(a.directory().toString())
                                        .publicationErrorFrameHandler(
                                                frame -> told.add(frame.clone()))
                                        .errorHandler(errors::add))) {
            String channel = aeron(b.channel(PORT));
            Subscription subscription = in.addSubscription(channel, STREAM);
            Publication publication = out.addPublication(Host.overWire(channel), STREAM);
            Await.until("connected", publication::isConnected);
            Await.until("an image", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            image.reject("prices are a day old");
            Await.until("ended", image::isClosed);
            Await.until("told", () -> told.size() == 1);
            assertEquals("prices are a day old", told.getFirst().errorMessage());
            assertEquals(publication.registrationId(), told.getFirst().registrationId());
            Await.until("back", () -> subscription.imageCount() == 1 && publication.isConnected());
        }
        assertEquals(List.of(), errors);
    }
}
