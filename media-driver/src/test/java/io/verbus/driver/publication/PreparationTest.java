// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A transport that takes long to open. */
@Timeout(60)
class PreparationTest {
    private static final String CHANNEL = "verbus:rdma?endpoint=localhost:7401";

    private final LoopTransport.Provider provider = new LoopTransport.Provider();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);
    private MediaDriver driver;
    private Bus bus;
    private Bus other;

    @BeforeEach
    void launch() {
        provider.preparation =
                () -> {
                    begun.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                };
        driver =
                MediaDriver.launch(
                        Drivers.config().directory(DriverDirectory.uniquePath()).build(),
                        List.of(provider));
        bus = Drivers.connect(driver);
        // It waits until the preparation ends.
        other = Bus.connect(Drivers.context(driver).driverTimeout(Duration.ofSeconds(50)));
    }

    @AfterEach
    void close() {
        end.countDown();
        bus.close();
        other.close();
        driver.close();
    }

    private CompletableFuture<Publication> add() {
        return CompletableFuture.supplyAsync(() -> other.addPublication(CHANNEL, 1));
    }

    @Test
    void streamsContinueWhileTransportOpens() throws Exception {
        Publication publication = bus.addPublication("verbus:ipc", 1);
        Subscription subscription = bus.addSubscription("verbus:ipc", 1);
        Await.until("connected", publication::isConnected);
        CompletableFuture<Publication> added = add();
        begun.await();

        long termLength = 64 * 1024;
        long heartbeat = Drivers.counter(bus, SystemCounter.HEARTBEAT);
        Await.until(
                "ten terms",
                () -> {
                    publication.offer(message, 0, 1024);
                    subscription.poll((buffer, offset, length, header) -> {}, 10);
                    return publication.position() > 10 * termLength;
                });
        Await.until(
                "a sign of life", () -> Drivers.counter(bus, SystemCounter.HEARTBEAT) > heartbeat);
        assertFalse(added.isDone());

        end.countDown();
        assertEquals(CHANNEL, added.get().channel().toString());
    }

    @Tag("slow")
    @Test
    void noClientTimesOutWhileTransportOpens() throws Exception {
        CompletableFuture<Publication> added = add();
        begun.await();
        long endNs = System.nanoTime() + Drivers.LIVENESS_NS + Drivers.LIVENESS_NS / 4;
        Await.until("a time that clients must give a sign in", () -> System.nanoTime() > endNs);
        end.countDown();
        assertEquals(CHANNEL, added.get().channel().toString());
        assertEquals(0, Drivers.counter(bus, SystemCounter.CLIENTS_TIMED_OUT));
    }

    @Test
    void reportsFailedPreparationToClient() {
        provider.failure = "there is no device: plug one in";
        provider.preparation =
                () -> {
                    throw new IllegalStateException("there is no device");
                };
        String refusal = Drivers.refusal(() -> other.addPublication(CHANNEL, 1));
        assertTrue(refusal.contains("there is no device: plug one in"), refusal);
        provider.failure = null;
        assertEquals(CHANNEL, other.addPublication(CHANNEL, 1).channel().toString());
    }
}
