// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ErrorCode;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.image.SourcedStream;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A subscription whose destinations are added and removed while it runs. */
class AeronSourcesTest {
    private static final int STREAM = SourcedStream.STREAM;
    private static final String MANUAL = SourcedStream.MANUAL;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;
    private SourcedStream stream;

    @BeforeEach
    void launch() {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .imageLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(2))
                                .transportOption("udp.image-timeout", "2s"));
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
        stream = new SourcedStream(aeron);
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private static String free() throws IOException {
        return "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @Test
    void receivesOnlyFromCurrentDestinations() throws IOException {
        String first = free();
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM);
                ExclusivePublication publication = stream.source(first, 0)) {
            assertEquals(1, subscription.channelStatus());
            assertEquals(List.of(), subscription.localSocketAddresses());
            subscription.addDestination(first);
            assertEquals(
                    List.of(first.substring(first.indexOf('=') + 1)),
                    subscription.localSocketAddresses());
            Await.until("image", () -> subscription.imageCount() == 1);
            Await.until("connected", publication::isConnected);
            stream.write(3_000, subscription, publication);
            stream.readAll(subscription);
            Image image = subscription.imageAtIndex(0);
            assertEquals(1, image.activeTransportCount());
            assertEquals(publication.position(), image.position());
            subscription.removeDestination(first);
            Await.until("no address", () -> subscription.localSocketAddresses().isEmpty());
            Await.until("the end, in time", () -> subscription.imageCount() == 0);
        }
    }

    /** Two sources of one session, both received by one image. */
    private record Merged(ExclusivePublication replay, ExclusivePublication live, Image image) {}

    private Merged merged(Subscription subscription, String replay, String live) {
        ExclusivePublication one = stream.source(replay, 0);
        subscription.addDestination(replay);
        Await.until("connected", one::isConnected);
        stream.write(500, subscription, one);
        ExclusivePublication other = stream.source(live, one.position());
        subscription.addDestination(live);
        Await.until("image", () -> subscription.imageCount() == 1);
        Image image = subscription.imageAtIndex(0);
        Await.until(
                "both",
                () -> {
                    stream.read(subscription);
                    return other.isConnected() && image.activeTransportCount() == 2;
                });
        return new Merged(one, other, image);
    }

    /**
     * Data from both is read once; the second continues alone, as after a replay that has merged.
     */
    @Test
    void mergesTwoSourcesIntoOneImage() throws IOException {
        String replay = free();
        String live = free();
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM)) {
            Merged merged = merged(subscription, replay, live);
            ExclusivePublication one = merged.replay;
            ExclusivePublication other = merged.live;
            Image image = merged.image;
            stream.write(1_000, subscription, one, other);
            subscription.removeDestination(replay);
            Await.until("one", () -> image.activeTransportCount() == 1);
            stream.write(1_000, subscription, other);
            stream.readAll(subscription);
            assertEquals(1, subscription.imageCount());
            one.close();
            other.close();
            Await.until("the end", () -> subscription.imageCount() == 0);
            assertTrue(image.isEndOfStream());
        }
    }

    /** An archive ends the replay this way once a follower has reached the live log. */
    @Test
    void keepsImageIfOneOfTwoSourcesIsRevoked() throws IOException {
        String replay = free();
        String live = free();
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM)) {
            Merged merged = merged(subscription, replay, live);
            ExclusivePublication one = merged.replay;
            ExclusivePublication other = merged.live;
            Image image = merged.image;
            stream.write(500, subscription, one, other);
            one.revoke();
            Await.until("one", () -> image.activeTransportCount() == 1);
            stream.write(500, subscription, other);
            stream.readAll(subscription);
            assertFalse(image.isClosed());
            assertFalse(image.isPublicationRevoked());
            subscription.removeDestination(replay);
            other.revoke();
            Await.until("the end", () -> subscription.imageCount() == 0);
            assertTrue(image.isPublicationRevoked());
        }
    }

    /** The leader of a cluster ends the replay once the follower is at the end of the log. */
    @Test
    void keepsImageIfSourceIsRevokedBeforeNextJoins() throws IOException {
        String replay = free();
        String live = free();
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM)) {
            ExclusivePublication one = stream.source(replay, 0);
            subscription.addDestination(replay);
            Await.until("connected", one::isConnected);
            Await.until("image", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            stream.write(500, subscription, one);
            stream.readAll(subscription);
            subscription.addDestination(live);
            long position = one.position();
            one.revoke();
            Await.until("none", () -> image.activeTransportCount() == 0);
            ExclusivePublication other = stream.source(live, position);
            Await.until("connected", other::isConnected);
            stream.write(500, subscription, other);
            stream.readAll(subscription);
            assertFalse(image.isClosed());
            other.close();
        }
    }

    /** A live stream that starts ahead of the replay waits for it. */
    @Test
    void holdsBackLiveSourceUntilReplayCatchesUp() throws IOException {
        String replay = free();
        String live = free();
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM)) {
            ExclusivePublication one = stream.source(replay, 0);
            subscription.addDestination(replay);
            Await.until("connected", one::isConnected);
            stream.written = 0;
            long ahead = 0;
            for (int i = 0; i < 20; i++) {
                ahead += (SourcedStream.message(i).capacity() + 32 + 31) / 32 * 32;
            }
            ExclusivePublication other = stream.source(live, ahead);
            subscription.addDestination(live);
            Await.until("connected", other::isConnected);
            stream.written = 20;
            stream.write(10, subscription, other);
            stream.written = 0;
            stream.write(20, subscription, one);
            stream.written = 30;
            stream.readAll(subscription);
            assertEquals(2, subscription.imageAtIndex(0).activeTransportCount());
            one.close();
            other.close();
        }
    }

    @Test
    void subscriptionsShareDestinationsByTag() throws IOException {
        String destination = free();
        try (Subscription first = aeron.addSubscription(MANUAL + "|tags=5", STREAM)) {
            first.addDestination(destination);
            try (Subscription second = aeron.addSubscription(MANUAL + "|tags=5", STREAM);
                    ExclusivePublication publication = stream.source(destination, 0)) {
                Await.until("images", () -> first.imageCount() + second.imageCount() == 2);
                assertEquals(first.channelStatusId(), second.channelStatusId());
                stream.write(40, first, publication); // within the window of the second
                stream.readAll(first);
                stream.received.clear();
                stream.readAll(second);
            }
            assertTrue(
                    refusal(() -> aeron.addSubscription(destination, STREAM))
                            .contains("Address already in use"));
        }
        aeron.addSubscription(destination, STREAM).close();
    }

    @Test
    void readsPublicationsOfSameDriver() throws IOException {
        String endpoint = free();
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM);
                Publication ipc = aeron.addPublication("aeron:ipc?term-length=64k", STREAM);
                Publication udp =
                        aeron.addPublication(endpoint + "|ssc=true|term-length=64k", STREAM)) {
            subscription.addDestination("aeron:ipc");
            Await.until("image", () -> subscription.imageCount() == 1);
            subscription.addDestination("aeron-spy:" + endpoint);
            Await.until("images", () -> subscription.imageCount() == 2);
            Await.until("connected", () -> ipc.isConnected() && udp.isConnected());
            Await.until(
                    "offered",
                    () ->
                            ipc.offer(SourcedStream.message(0)) > 0
                                    && udp.offer(SourcedStream.message(1)) > 0);
            stream.written = 2;
            Await.until(
                    "read",
                    () -> {
                        stream.read(subscription);
                        return stream.received.size() == 2;
                    });
            subscription.removeDestination("aeron:ipc");
            Await.until("ended", () -> subscription.imageCount() == 1);
            Await.until("not connected", () -> !ipc.isConnected());
            subscription.removeDestination("aeron-spy:" + endpoint);
            Await.until("ended", () -> subscription.imageCount() == 0);
        }
    }

    @Test
    void freesDestinationWhenSubscriptionCloses() throws IOException {
        String destination = free();
        CountersReader counters = aeron.countersReader();
        long id;
        try (Subscription subscription = aeron.addSubscription(MANUAL, STREAM);
                ExclusivePublication publication = stream.source(destination, 0)) {
            id = subscription.registrationId();
            subscription.addDestination(destination);
            Await.until("connected", publication::isConnected);
            stream.write(100, subscription, publication);
            stream.readAll(subscription);
        }
        Await.until(
                "freed",
                () ->
                        counters.findByTypeIdAndRegistrationId(
                                        AeronCounters.DRIVER_LOCAL_SOCKET_ADDRESS_STATUS_TYPE_ID,
                                        id)
                                < 0);
        try (Subscription again = aeron.addSubscription(destination, STREAM)) {
            assertFalse(again.isConnected());
        }
    }

    @Test
    void rejectsInvalidDestinations() throws IOException {
        String endpoint = free();
        try (Subscription plain = aeron.addSubscription(endpoint, STREAM);
                Subscription subscription = aeron.addSubscription(MANUAL, STREAM)) {
            assertTrue(
                    refusal(() -> plain.addDestination("aeron:ipc"))
                            .contains("does not accept destinations"));
            assertTrue(
                    refusal(() -> subscription.addDestination(endpoint))
                            .contains("Address already in use"));
            assertTrue(
                    refusal(() -> subscription.addDestination(MANUAL)).contains("has no endpoint"));
            subscription.removeDestination("aeron:udp?endpoint=127.0.0.1:9");
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () -> plain.addDestination("aeron:udp?endpoint=127.0.0.1:9"));
            assertEquals(ErrorCode.UNKNOWN_SUBSCRIPTION, refused.errorCode());
        }
    }

    /** As with Aeron's driver, where each destination has its own socket. */
    @Test
    void rejectsDestinationOfAnotherManualSubscription() throws IOException {
        String destination = free();
        try (Subscription second = aeron.addSubscription(MANUAL, STREAM)) {
            try (Subscription first = aeron.addSubscription(MANUAL, STREAM)) {
                first.addDestination(destination);
                assertTrue(
                        refusal(() -> second.addDestination(destination))
                                .contains("Address already in use"));
            }
            second.addDestination(destination);
            try (ExclusivePublication publication = stream.source(destination, 0)) {
                Await.until("connected", publication::isConnected);
                stream.write(10, second, publication);
                stream.readAll(second);
            }
        }
    }

    private static String refusal(Runnable command) {
        return assertThrows(RegistrationException.class, command::run).getMessage();
    }
}
