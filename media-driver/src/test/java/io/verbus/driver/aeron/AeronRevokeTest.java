// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A revoked publication ends for all its readers. */
class AeronRevokeTest {
    private static final int STREAM = 10;

    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;
    private String endpoint;

    @BeforeEach
    void launch() throws IOException {
        driver = MediaDriver.launchEmbedded(Drivers.config());
        aeron = connect(driver.directory().toString());
        endpoint = "aeron:udp?term-length=64k|endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    private Aeron connect(String directory) {
        return Aeron.connect(
                new Aeron.Context().aeronDirectoryName(directory).errorHandler(clientErrors::add));
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private long counter(SystemCounterDescriptor counter) {
        return aeron.countersReader().getCounterValue(counter.id());
    }

    /** The image ends with unread messages, long before it would time out. */
    private static void revoke(ExclusivePublication publication, Subscription subscription) {
        Await.until("connected", publication::isConnected);
        Await.until("image", () -> subscription.imageCount() == 1);
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        for (int i = 0; i < 20; i++) {
            Await.until("offered", () -> publication.offer(message) > 0);
        }
        Image image = subscription.imageAtIndex(0);
        Await.until("read", () -> image.poll((buffer, at, length, header) -> {}, 1) == 1);
        assertFalse(image.isPublicationRevoked());
        long position = publication.position();
        publication.revoke();
        Await.until("ended", image::isClosed);
        assertTrue(image.isPublicationRevoked());
        assertTrue(image.position() < position);
        assertEquals(position, image.endOfStreamPosition());
    }

    @Test
    void revokesStreamOverIpc() {
        try (Subscription subscription = aeron.addSubscription("aeron:ipc", STREAM)) {
            revoke(aeron.addExclusivePublication("aeron:ipc", STREAM), subscription);
            assertEquals(1, counter(SystemCounterDescriptor.PUBLICATIONS_REVOKED));
            assertEquals(0, counter(SystemCounterDescriptor.PUBLICATION_IMAGES_REVOKED));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void revokesStreamOverUdp(boolean isUntold) {
        String channel = endpoint + (isUntold ? "|eos=false" : "");
        try (Subscription subscription = aeron.addSubscription(endpoint, STREAM)) {
            revoke(aeron.addExclusivePublication(channel, STREAM), subscription);
            assertEquals(1, counter(SystemCounterDescriptor.PUBLICATIONS_REVOKED));
            Await.until( // counted when the client has been told
                    "counted",
                    () -> counter(SystemCounterDescriptor.PUBLICATION_IMAGES_REVOKED) == 1);
        }
    }

    @Test
    void revokesStreamForSpies() {
        try (Subscription subscription = aeron.addSubscription("aeron-spy:" + endpoint, STREAM)) {
            revoke(aeron.addExclusivePublication(endpoint + "|ssc=true", STREAM), subscription);
        }
    }

    @Test
    void freesRevokedPublication() {
        try (Subscription _ = aeron.addSubscription("aeron:ipc", STREAM)) {
            ExclusivePublication publication = aeron.addExclusivePublication("aeron:ipc", STREAM);
            long id = publication.registrationId();
            publication.revoke();
            Await.until(
                    "freed",
                    () ->
                            aeron.countersReader()
                                            .findByTypeIdAndRegistrationId(
                                                    AeronCounters.DRIVER_PUBLISHER_LIMIT_TYPE_ID,
                                                    id)
                                    < 0);
        }
    }

    /** Aeron's driver understands Verbus' revocations, and vice versa. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void revokesStreamAcrossVerbusAndAeronDrivers(
            boolean isOursTheSender, @TempDir Path directory) {
        try (io.aeron.driver.MediaDriver theirs =
                        io.aeron.driver.MediaDriver.launch(
                                new io.aeron.driver.MediaDriver.Context()
                                        .aeronDirectoryName(directory.resolve("aeron").toString())
                                        .threadingMode(ThreadingMode.SHARED)
                                        .dirDeleteOnShutdown(true));
                Aeron there = connect(theirs.aeronDirectoryName());
                Subscription subscription =
                        (isOursTheSender ? there : aeron).addSubscription(endpoint, STREAM)) {
            revoke(
                    (isOursTheSender ? aeron : there).addExclusivePublication(endpoint, STREAM),
                    subscription);
        }
    }
}
