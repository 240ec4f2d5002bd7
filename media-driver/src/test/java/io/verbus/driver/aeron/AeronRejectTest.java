// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.RegistrationException;
import io.aeron.status.PublicationErrorFrame;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** An Aeron client rejects an image, and the publisher's client learns the reason. */
class AeronRejectTest {
    private static final int STREAM = 10;
    private static final String REASON = "prices are a day old";

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private final Queue<PublicationErrorFrame> told = new ConcurrentLinkedQueue<>();
    private MediaDriver driver;
    private Aeron aeron;
    private int port;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config().imageLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(2)));
        aeron = connect(driver.directory().toString());
        port = UdpInteropTest.freePort();
        endpoint = "aeron:udp?endpoint=127.0.0.1:" + port;
    }

    private Aeron connect(String directory) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(directory)
                        .publicationErrorFrameHandler(frame -> told.add(frame.clone()))
                        .errorHandler(clientErrors::add));
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private static Image received(Publication publication, Subscription subscription) {
        Await.until("connected", publication::isConnected);
        Await.until("image", () -> subscription.imageCount() == 1);
        Await.until("offered", () -> publication.offer(new UnsafeBuffer(new byte[100])) > 0);
        Image image = subscription.imageAtIndex(0);
        Await.until("read", () -> image.poll((buffer, at, length, header) -> {}, 1) == 1);
        return image;
    }

    private PublicationErrorFrame reject(Image image, Publication publication) {
        image.reject(REASON);
        Await.until("ended", image::isClosed);
        Await.until("told", () -> !told.isEmpty());
        PublicationErrorFrame frame = told.remove();
        assertEquals(REASON, frame.errorMessage());
        assertEquals(publication.registrationId(), frame.registrationId());
        assertEquals(publication.sessionId(), frame.sessionId());
        assertEquals(STREAM, frame.streamId());
        return frame;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void restoresRejectedStreamAfterTimeout(boolean isUdp) {
        String channel = isUdp ? endpoint : "aeron:ipc";
        try (Subscription subscription = aeron.addSubscription(channel, STREAM);
                Publication publication = aeron.addPublication(channel, STREAM)) {
            Image image = received(publication, subscription);
            long rejectedNs = System.nanoTime();
            reject(image, publication);
            Await.until("not connected", () -> !publication.isConnected());
            Image next = received(publication, subscription);
            long awayNs = System.nanoTime() - rejectedNs;
            assertTrue(awayNs >= TimeUnit.SECONDS.toNanos(2), awayNs + " ns");
            assertTrue(next.joinPosition() >= image.position());
            assertTrue(told.isEmpty(), "told once");
            assertEquals(
                    1,
                    aeron.countersReader()
                            .getCounterValue(SystemCounterDescriptor.IMAGES_REJECTED.id()));
        }
    }

    @Test
    void identifiesReceiverOfDynamicPublication() {
        String control = "aeron:udp?control=127.0.0.1:" + port;
        try (Publication publication =
                        aeron.addPublication(
                                control + "|control-mode=dynamic|fc=tagged,g:1001", STREAM);
                Subscription subscription =
                        aeron.addSubscription(
                                control + "|endpoint=127.0.0.1:0|gtag=1001", STREAM)) {
            PublicationErrorFrame frame = reject(received(publication, subscription), publication);
            assertEquals(1001, frame.groupTag());
            assertEquals(-1, frame.destinationRegistrationId());
            InetSocketAddress source = frame.sourceAddress();
            assertEquals(
                    subscription.resolvedEndpoint(),
                    source.getAddress().getHostAddress() + ":" + source.getPort());
        }
    }

    @Test
    void identifiesRejectingDestination() {
        try (Publication publication =
                        aeron.addPublication("aeron:udp?control-mode=manual", STREAM);
                Subscription subscription = aeron.addSubscription(endpoint, STREAM)) {
            long id = publication.asyncAddDestination(endpoint);
            PublicationErrorFrame frame = reject(received(publication, subscription), publication);
            assertEquals(id, frame.destinationRegistrationId());
            assertEquals(-1, frame.groupTag());
        }
    }

    @Test
    void refusesRejectionBySpyOrWithTooLongReason() {
        try (Publication publication = aeron.addPublication(endpoint + "|ssc=true", STREAM);
                Subscription spy = aeron.addSubscription("aeron-spy:" + endpoint, STREAM)) {
            Image image = received(publication, spy);
            AeronException refused = assertThrows(AeronException.class, () -> image.reject(REASON));
            assertTrue(refused.getMessage().contains("spies can not reject"), "Aeron's client");
        }
        try (Publication publication = aeron.addPublication("aeron:ipc", STREAM);
                Subscription subscription = aeron.addSubscription("aeron:ipc", STREAM)) {
            Image image = received(publication, subscription);
            RegistrationException refused =
                    assertThrows(RegistrationException.class, () -> image.reject("x".repeat(1024)));
            assertTrue(refused.getMessage().contains("1024 bytes: shorten it to at most 1023"));
        }
    }

    @ParameterizedTest
    @Tag("soak")
    @ValueSource(booleans = {false, true})
    void rejectsImageAcrossVerbusAndAeronDrivers(boolean isOursTheSender, @TempDir Path directory) {
        try (io.aeron.driver.MediaDriver theirs =
                        io.aeron.driver.MediaDriver.launch(
                                new io.aeron.driver.MediaDriver.Context()
                                        .aeronDirectoryName(directory.resolve("aeron").toString())
                                        .threadingMode(ThreadingMode.SHARED)
                                        .dirDeleteOnShutdown(true));
                Aeron there = connect(theirs.aeronDirectoryName());
                Subscription subscription =
                        (isOursTheSender ? there : aeron).addSubscription(endpoint, STREAM);
                Publication publication =
                        (isOursTheSender ? aeron : there).addPublication(endpoint, STREAM)) {
            reject(received(publication, subscription), publication);
        }
    }
}
