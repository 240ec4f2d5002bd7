// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;
import io.verbus.transport.Networks;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One stream that arrives at two destinations, over a transport whose peers write logs. */
@Timeout(120)
class RailSourcesTest {
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
        subscription.addDestination(ONE);
        subscription.addDestination(OTHER);
    }

    @AfterEach
    void close() {
        aeron.close();
        driver.close();
    }

    private ExclusivePublication connected(String destination, long position) {
        ExclusivePublication source = stream.source(destination, position);
        Await.until(
                "connected",
                () -> {
                    stream.read(subscription);
                    return source.isConnected();
                });
        return source;
    }

    private Image image() {
        Await.until("image", () -> subscription.imageCount() == 1);
        return subscription.imageAtIndex(0);
    }

    private void awaitTransports(Image image, int count) {
        Await.until(
                count + " transports",
                () -> {
                    stream.read(subscription);
                    return image.activeTransportCount() == count;
                });
    }

    private long counter(String label) {
        long[] sum = {0};
        CountersReader counters = aeron.countersReader();
        counters.forEach(
                (id, text) -> {
                    if (text.startsWith(label)) {
                        sum[0] += counters.getCounterValue(id);
                    }
                });
        return sum[0];
    }

    private void assertNoErrors() {
        assertEquals(List.of(), Drivers.errors(driver));
        assertEquals(List.of(), clientErrors);
    }

    @Test
    void sourcesKeepOwnLogsWhileOneLeavesAndReturns() {
        ExclusivePublication one = connected(ONE, 0);
        Image image = image();
        assertEquals(List.of(false), provider.opened.areMerged(image.correlationId()));
        stream.write(300, subscription, one);
        ExclusivePublication other = connected(OTHER, one.position());
        awaitTransports(image, 2);
        stream.write(300, subscription, one, other);
        one.close();
        stream.write(300, subscription, other);
        awaitTransports(image, 1);
        stream.write(300, subscription, other);
        stream.readAll(subscription);
        ExclusivePublication again = connected(ONE, other.position());
        awaitTransports(image, 2);
        stream.write(300, subscription, other, again);
        stream.readAll(subscription);
        assertEquals(0, provider.opened.moves);
        assertFalse(image.isClosed());
        other.close();
        again.close();
        Await.until("the end", () -> subscription.imageCount() == 0);
        assertTrue(image.isEndOfStream());
        assertNoErrors();
    }

    @Test
    void writesImageDirectlyOnceOtherDestinationIsRemoved() {
        ExclusivePublication one = connected(ONE, 0);
        Image image = image();
        stream.write(300, subscription, one);
        subscription.removeDestination(OTHER);
        Await.until(
                "a move",
                () -> {
                    stream.read(subscription);
                    return provider.opened.moves == 1;
                });
        assertEquals(List.of(true), provider.opened.areMerged(image.correlationId()));
        stream.write(300, subscription, one);
        stream.readAll(subscription);
        assertNoErrors();
    }

    /** The receiver counts what it has copied after subscribers can read it. */
    private void awaitCounter(long value, String label) {
        Await.until(label, () -> counter(label) == value);
    }

    @Test
    void countsPositionAndLeadOfEachSource() {
        ExclusivePublication one = connected(ONE, 0);
        ExclusivePublication other = connected(OTHER, 0);
        awaitTransports(image(), 2);
        stream.write(200, subscription, one);
        stream.readAll(subscription);
        awaitCounter(one.position(), "source position at 10.1.0.2:7401");
        awaitCounter(one.position(), "source led at 10.1.0.2:7401");
        assertEquals(0, counter("source led at 10.1.0.2:7402"));
        stream.written = 0;
        stream.write(200, subscription, other);
        awaitCounter(other.position(), "source position at 10.1.0.2:7402");
        assertEquals(0, counter("source led at 10.1.0.2:7402"));
        stream.write(100, subscription, other);
        stream.readAll(subscription);
        awaitCounter(other.position() - one.position(), "source led at 10.1.0.2:7402");
        one.close();
        other.close();
        Await.until(
                "no counters",
                () -> {
                    stream.read(subscription);
                    return counter("source position at ") == 0;
                });
        assertNoErrors();
    }

    @Test
    void rejectsSourceThatContradictsImage() {
        ExclusivePublication one = connected(ONE, 0);
        ExclusivePublication diverging = connected(OTHER, 0);
        Image image = image();
        awaitTransports(image, 2);
        stream.write(21, subscription, one);
        stream.readAll(subscription);
        UnsafeBuffer longest = new UnsafeBuffer(new byte[1300]);
        for (int i = 0; i < 20; i++) {
            diverging.offer(longest);
        }
        awaitTransports(image, 1);
        stream.write(1_000, subscription, one);
        stream.readAll(subscription);
        assertFalse(image.isClosed());
        assertEquals(1, subscription.imageCount());
        assertTrue(
                Drivers.errors(driver).toString().contains("where another source has a frame"),
                Drivers.errors(driver).toString());
        one.close();
        diverging.close();
        Await.until("the end", () -> subscription.imageCount() == 0);
    }
}
