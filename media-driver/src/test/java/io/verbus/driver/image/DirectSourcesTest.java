// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;
import io.verbus.transport.Networks;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Sources of one image over a transport whose peers write logs directly: a single source writes the
 * image's log, and several are merged.
 */
@Timeout(120)
class DirectSourcesTest {
    private static final String ONE = "aeron:udp?endpoint=10.1.0.2:7401";
    private static final String OTHER = "aeron:udp?endpoint=10.1.0.2:7402";

    private final LoopTransport.Provider provider = new LoopTransport.Provider();
    private final List<Throwable> clientErrors = Collections.synchronizedList(new ArrayList<>());
    private MediaDriver driver;
    private Aeron aeron;
    private SourcedStream stream;
    private Subscription subscription;

    @BeforeEach
    void launch() {
        provider.networks = Networks.of("rdma.networks", "10.1.0.0/16");
        driver =
                MediaDriver.launch(
                        Drivers.config()
                                .imageLivenessTimeoutNs(TimeUnit.SECONDS.toNanos(2))
                                .directory(DriverDirectory.uniquePath())
                                .build(),
                        List.of(provider));
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(clientErrors::add));
        stream = new SourcedStream(aeron);
        subscription = aeron.addSubscription(SourcedStream.MANUAL, SourcedStream.STREAM);
    }

    @AfterEach
    void close() {
        aeron.close();
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
        assertEquals(List.of(), clientErrors);
    }

    private Image image() {
        Await.until("image", () -> subscription.imageCount() == 1);
        return subscription.imageAtIndex(0);
    }

    private ExclusivePublication connected(String destination, long position) {
        ExclusivePublication source = added(destination, position);
        subscription.addDestination(destination);
        Await.until(
                "connected",
                () -> {
                    stream.read(subscription);
                    return source.isConnected();
                });
        return source;
    }

    /** Once the previous one at the destination has ended. */
    private ExclusivePublication added(String destination, long position) {
        ExclusivePublication[] added = new ExclusivePublication[1];
        Await.until(
                "added",
                () -> {
                    try {
                        added[0] = stream.source(destination, position);
                        return true;
                    } catch (RegistrationException e) {
                        stream.read(subscription);
                        return false;
                    }
                });
        return added[0];
    }

    private void awaitTransports(Image image, int count) {
        Await.until(
                count + " transports",
                () -> {
                    stream.read(subscription);
                    return image.activeTransportCount() == count;
                });
    }

    private void awaitMoves(int count) {
        Await.until(
                count + " moves",
                () -> {
                    stream.read(subscription);
                    return provider.opened.moves == count;
                });
    }

    /** Avoids copying: there is no second log. */
    @Test
    void singleSourceWritesImageDirectly() {
        ExclusivePublication one = connected(ONE, 0);
        Image image = image();
        stream.write(2_000, subscription, one);
        stream.readAll(subscription);
        assertEquals(0, provider.opened.moves);
        assertEquals(List.of(true), provider.opened.areMerged(image.correlationId()));
        one.close();
        Await.until("the end", () -> subscription.imageCount() == 0);
        assertTrue(image.isEndOfStream());
    }

    @Test
    void mergesWhileSecondSourceExistsThenWritesDirectlyAgain() {
        ExclusivePublication one = connected(ONE, 0);
        Image image = image();
        stream.write(500, subscription, one);
        ExclusivePublication other = connected(OTHER, one.position());
        awaitTransports(image, 2);
        awaitMoves(1);
        assertEquals(List.of(false, false), provider.opened.areMerged(image.correlationId()));
        stream.write(1_000, subscription, one, other);
        subscription.removeDestination(ONE);
        awaitTransports(image, 1);
        awaitMoves(2);
        assertEquals(List.of(true), provider.opened.areMerged(image.correlationId()));
        stream.write(1_000, subscription, other);
        stream.readAll(subscription);
        assertFalse(image.isClosed());
        other.close();
        Await.until("the end", () -> subscription.imageCount() == 0);
        assertTrue(image.isEndOfStream());
        one.close();
    }

    /** The source that writes the image ends while another, staged one waits to be merged. */
    @Test
    void continuesWithStagedSourceAfterDirectSourceEnds() {
        for (int round = 0; round < 10; round++) {
            ExclusivePublication one = connected(ONE, 0);
            Image image = image();
            stream.write(100, subscription, one);
            ExclusivePublication other = connected(OTHER, one.position());
            one.close(); // during or just after its move to a log of its own
            stream.write(100, subscription, other);
            stream.readAll(subscription);
            assertFalse(image.isClosed());
            subscription.removeDestination(OTHER);
            subscription.removeDestination(ONE);
            other.close();
            Await.until("the end", () -> subscription.imageCount() == 0);
            stream.received.clear();
            stream.written = 0;
        }
    }

    @Test
    void stopsDirectSourceWhenDestinationIsRemoved() {
        ExclusivePublication one = connected(ONE, 0);
        Image image = image();
        stream.write(300, subscription, one);
        stream.readAll(subscription);
        subscription.removeDestination(ONE);
        Await.until("not connected", () -> !one.isConnected());
        ExclusivePublication other = connected(OTHER, one.position());
        stream.write(300, subscription, other);
        stream.readAll(subscription);
        assertFalse(image.isClosed());
        one.close();
        other.close();
    }

    /**
     * Sources come and go at random, starting at the current position: every message is read once.
     */
    @Test
    @Tag("slow")
    void readsEveryMessageOnceWhileSourcesChange() {
        long seed = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        Random random = new Random(seed);
        String[] destinations = {ONE, OTHER, "aeron:udp?endpoint=10.1.0.2:7403"};
        ExclusivePublication[] sources = new ExclusivePublication[destinations.length];
        sources[0] = connected(destinations[0], 0);
        Image image = image();
        int steady = 0;
        for (int i = 0; i < 150; i++) {
            int next = random.nextInt(sources.length);
            if (sources[next] == null) {
                sources[next] = connected(destinations[next], sources[steady].position());
                steady = next;
            } else if (next != steady) {
                if (random.nextBoolean()) {
                    subscription.removeDestination(destinations[next]);
                    sources[next].close();
                } else {
                    sources[next].close();
                    subscription.removeDestination(destinations[next]);
                }
                sources[next] = null;
            }
            ExclusivePublication[] there =
                    Arrays.stream(sources)
                            .filter(each -> each != null)
                            .toArray(ExclusivePublication[]::new);
            stream.write(random.nextInt(60), subscription, there);
        }
        stream.readAll(subscription);
        assertFalse(image.isClosed(), "seed " + seed);
        assertTrue(provider.opened.moves > 20, "moves " + provider.opened.moves);
    }
}
