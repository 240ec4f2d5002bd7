// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ErrorCode;
import io.aeron.Image;
import io.aeron.LogBuffers;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Untethered subscribers of Aeron's client, and those that do not rejoin. */
@Timeout(120)
class AeronTetherTest {
    private static final int STREAM = 10;
    private static final int LENGTH = 1000;
    private static final int MOST_AHEAD = 3 * 32 * 1024;
    private static final String UDP = "aeron:udp?endpoint=127.0.0.1:PORT";
    private static final String TIMES =
            "|untethered-window-limit-timeout=100ms|untethered-linger-timeout=50ms"
                    + "|untethered-resting-timeout=400ms";

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final List<Image> available = Collections.synchronizedList(new ArrayList<>());
    private final List<Image> unavailable = Collections.synchronizedList(new ArrayList<>());
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
    private MediaDriver driver;
    private Aeron aeron;
    private String port;
    private String udp;
    private long next;
    private long read;
    private long slowlyRead;

    @BeforeEach
    void launch() throws IOException {
        port = Integer.toString(UdpInteropTest.freePort());
        udp = at(UDP);
        launch(Drivers.config());
    }

    private void launch(DriverConfigBuilder config) {
        driver =
                MediaDriver.launchEmbedded(
                        config.imageLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(1))
                                .transportOption("udp.image-timeout", "1s"));
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
    }

    /** The channel at the test's own port. */
    private String at(String channel) {
        return channel.replace("PORT", port);
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private void publish(Publication publication) {
        message.putLong(0, next);
        if (publication.offer(message) > 0) {
            next++;
        }
    }

    private void read(Subscription subscription) {
        subscription.poll(
                (buffer, offset, length, header) -> assertEquals(read++, buffer.getLong(offset)),
                10);
    }

    private void readSlowly(Subscription subscription) {
        subscription.poll(
                (buffer, offset, length, header) -> {
                    long number = buffer.getLong(offset);
                    assertTrue(
                            slowlyRead < 0 || number == slowlyRead + 1,
                            number + " after " + slowlyRead);
                    slowlyRead = number;
                },
                10);
    }

    /** The timeouts come from the publication for spies and IPC, else from the subscription. */
    @ParameterizedTest
    @CsvSource({
        "aeron:ipc?alias=x,aeron:ipc?alias=x",
        UDP + "," + UDP,
        UDP + ",aeron-spy:" + UDP,
        UDP + "|session-id=7,aeron:udp?control-mode=manual"
    })
    void detachesAndRejoinsSlowSubscriberWhileOtherLosesNothing(String publishedAt, String readAt) {
        String published = at(publishedAt);
        String read = at(readAt);
        boolean isManual = read.contains("manual");
        try (Subscription reader =
                        aeron.addSubscription(
                                isManual ? read + TIMES + "|tags=5" : published + TIMES, STREAM);
                Subscription lazy =
                        aeron.addSubscription(
                                isManual
                                        ? "aeron:udp?control-mode=manual|tags=5|tether=false"
                                        : read + "|tether=false",
                                STREAM,
                                available::add,
                                unavailable::add)) {
            if (isManual) {
                reader.addDestination(udp);
            }
            try (Publication publication = aeron.addPublication(published + TIMES, STREAM)) {
                Await.until(
                        "connected",
                        () ->
                                publication.isConnected()
                                        && reader.isConnected()
                                        && !available.isEmpty());
                int counter = available.getFirst().subscriberPositionId();
                Await.done(
                        "let go",
                        () -> {
                            publish(publication);
                            read(reader);
                            return !unavailable.isEmpty();
                        });
                Await.done(
                        "back",
                        () -> {
                            publish(publication);
                            read(reader);
                            return available.size() == 2;
                        });
                assertTrue(publication.position() > MOST_AHEAD, "was held back");
                Image image = available.get(1);
                assertEquals(counter, image.subscriberPositionId());
                assertEquals(available.getFirst().correlationId(), image.correlationId());
                assertTrue(image.joinPosition() > available.getFirst().position());
                long end = next + 300;
                slowlyRead = -1;
                Await.done(
                        "both read",
                        () -> {
                            if (next < end) {
                                publish(publication);
                            }
                            read(reader);
                            readSlowly(lazy);
                            return this.read == end && slowlyRead == end - 1;
                        });
                assertEquals(1, unavailable.size());
            }
        }
    }

    /** Defaults for Aeron's channels without the keys; the keys override them. */
    @ParameterizedTest
    @CsvSource({
        "aeron:ipc?alias=x,aeron:ipc?alias=x",
        UDP + "," + UDP,
        UDP + ",aeron-spy:" + UDP,
        UDP + "|session-id=7,aeron:udp?control-mode=manual"
    })
    void appliesDriverDefaultsOfTetherAndRejoin(String publishedAt, String readAt) {
        close();
        launch(Drivers.config().tetherSubscriptions(false).rejoinStream(false));
        String published = at(publishedAt);
        String read = at(readAt);
        boolean isManual = read.contains("manual");
        String manual = "aeron:udp?control-mode=manual|tags=5";
        try (Subscription reader =
                        aeron.addSubscription(
                                (isManual ? manual : published) + TIMES + "|tether=true", STREAM);
                Subscription lazy =
                        aeron.addSubscription(
                                isManual ? manual : read,
                                STREAM,
                                available::add,
                                unavailable::add)) {
            if (isManual) {
                reader.addDestination(udp);
            }
            try (Publication publication = aeron.addPublication(published + TIMES, STREAM)) {
                Await.until(
                        "connected",
                        () ->
                                publication.isConnected()
                                        && reader.isConnected()
                                        && !available.isEmpty());
                Await.done(
                        "let go",
                        () -> {
                            publish(publication);
                            read(reader);
                            return !unavailable.isEmpty();
                        });
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
                Await.done(
                        "twice as long as others rest",
                        () -> {
                            publish(publication);
                            read(reader);
                            return System.nanoTime() - until >= 0;
                        });
                assertEquals(1, available.size());
                assertFalse(lazy.isConnected());
                assertTrue(reader.isConnected());
            }
        }
    }

    @Test
    void logMetadataHasDriverDefaults() {
        close();
        launch(Drivers.config().tetherSubscriptions(false).rejoinStream(false));
        try (Subscription subscription = aeron.addSubscription(udp, STREAM);
                Publication publication = aeron.addPublication(udp, STREAM)) {
            Await.until("connected", publication::isConnected);
            Await.until("an image", () -> subscription.imageCount() == 1);
            try (LogBuffers log = log("images", subscription.imageAtIndex(0).correlationId())) {
                assertFalse(LogBufferDescriptor.tether(log.metaDataBuffer()));
                assertFalse(LogBufferDescriptor.rejoin(log.metaDataBuffer()));
            }
        }
    }

    @Test
    void logMetadataHasUntetheredTimeouts() {
        try (Subscription subscription =
                        aeron.addSubscription(
                                udp
                                        + "|tether=false|rejoin=false"
                                        + "|untethered-window-limit-timeout=200s",
                                STREAM);
                Publication publication = aeron.addPublication(udp + TIMES, STREAM)) {
            Await.until("connected", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            assertTimes("publications", publication.registrationId(), 100, 50, 400);
            assertTimes("images", image.correlationId(), 200_000, 200_000, 10_000);
            try (LogBuffers log = log("images", image.correlationId())) {
                assertFalse(LogBufferDescriptor.tether(log.metaDataBuffer()));
                assertFalse(LogBufferDescriptor.rejoin(log.metaDataBuffer()));
            }
        }
    }

    private LogBuffers log(String folder, long id) {
        return new LogBuffers(driver.directory().resolve(folder) + "/" + id + ".logbuffer");
    }

    private void assertTimes(String folder, long id, long limitMs, long lingerMs, long restingMs) {
        try (LogBuffers log = log(folder, id)) {
            UnsafeBuffer metadata = log.metaDataBuffer();
            assertEquals(
                    List.of(limitMs, lingerMs, restingMs),
                    List.of(
                            LogBufferDescriptor.untetheredWindowLimitTimeoutNs(metadata)
                                    / 1_000_000,
                            LogBufferDescriptor.untetheredLingerTimeoutNs(metadata) / 1_000_000,
                            LogBufferDescriptor.untetheredRestingTimeoutNs(metadata) / 1_000_000));
        }
    }

    /** Waits until another stream has arrived: one offered earlier would have arrived too. */
    private void afterAsLongAsASetUpTakes() throws IOException {
        String other = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        for (int i = 0; i < 5; i++) {
            try (Subscription subscription = aeron.addSubscription(other, STREAM);
                    Publication publication = aeron.addExclusivePublication(other, STREAM)) {
                Await.until(
                        "another stream",
                        () -> publication.isConnected() && subscription.imageCount() > 0);
            }
        }
    }

    /** Its end is not signalled, so receivers time it out. */
    @Test
    void restoresLostStreamOnlyToRejoiningSubscriptions() throws IOException {
        String other = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        String silent = "|session-id=5|eos=false|linger=0";
        try (Subscription rejoins = aeron.addSubscription(other, STREAM);
                Subscription leaves = aeron.addSubscription(udp + "|rejoin=false", STREAM)) {
            try (Publication one = aeron.addPublication(udp + silent, STREAM);
                    Publication two = aeron.addPublication(other + silent, STREAM)) {
                Await.until("both", () -> one.isConnected() && two.isConnected());
                Await.until("images", () -> leaves.imageCount() + rejoins.imageCount() == 2);
            }
            Await.until("lost", () -> leaves.imageCount() + rejoins.imageCount() == 0);
            try (Publication one = aeron.addPublication(udp + silent, STREAM);
                    Publication two = aeron.addPublication(other + silent, STREAM)) {
                Await.until("back", () -> two.isConnected() && rejoins.imageCount() == 1);
                afterAsLongAsASetUpTakes();
                assertEquals(0, leaves.imageCount());
                assertFalse(one.isConnected());
            }
        }
    }

    @Test
    void restoresRejectedStreamOnlyToRejoiningSubscriptions() throws IOException {
        String other = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        String once = udp + "|rejoin=false";
        try (Subscription rejoins = aeron.addSubscription(other, STREAM);
                Publication beside = aeron.addPublication(other, STREAM);
                Publication publication = aeron.addPublication(udp, STREAM)) {
            try (Subscription leaves = aeron.addSubscription(once, STREAM)) {
                Await.until("images", () -> leaves.imageCount() == 1 && rejoins.imageCount() == 1);
                Image first = rejoins.imageAtIndex(0);
                leaves.imageAtIndex(0).reject("no more of it");
                Await.until("gone", () -> leaves.imageCount() == 0);
                first.reject("for a while");
                Await.until("gone too", first::isClosed);
                Await.until(
                        "another comes back",
                        () -> rejoins.imageCount() == 1 && beside.isConnected());
                afterAsLongAsASetUpTakes();
                assertEquals(0, leaves.imageCount());
                assertFalse(publication.isConnected());
                try (Publication session = aeron.addExclusivePublication(udp, STREAM)) {
                    Await.until("another session", () -> leaves.imageCount() == 1);
                    assertEquals(session.sessionId(), leaves.imageAtIndex(0).sessionId());
                }
            }
            try (Subscription anew = aeron.addSubscription(once, STREAM)) {
                Await.until("a subscription of later", () -> anew.imageCount() > 0);
            }
        }
    }

    @Test
    void rejectsDifferentRejoinAtSameEndpoint() {
        try (Subscription there = aeron.addSubscription(udp, STREAM)) {
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () -> aeron.addSubscription(udp + "|rejoin=false", STREAM));
            assertEquals(ErrorCode.INVALID_CHANNEL, refused.errorCode());
            assertTrue(refused.getMessage().contains("rejoin=false"), refused.getMessage());
            aeron.addSubscription(udp + "|tether=false", STREAM).close();
            assertEquals(STREAM, there.streamId());
        }
    }
}
