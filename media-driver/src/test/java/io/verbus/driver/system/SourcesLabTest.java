// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.image.SourcedStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * Two sources of one image over RDMA, one of which is lost: the other then writes the image
 * directly, and every message is read once.
 */
@Tag("lab")
@Timeout(300)
class SourcesLabTest {
    private static final int PORT = 24_345;
    private static final String ONE = "aeron:udp?endpoint=" + Host.addressB() + ":" + PORT;
    private static final String OTHER = "aeron:udp?endpoint=" + Host.addressB() + ":" + (PORT + 1);
    private static final String MOVED = "streams moved to another log";
    private static final String NETWORKS = Host.addressA() + "," + Host.addressB();

    @TempDir private static Path folder;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    @AfterEach
    void restore() {
        if (Wire.isHere()) {
            Wire.restore();
        }
    }

    private static Host host(String address, String resumeTimeout) {
        return Host.start(
                        address,
                        builder ->
                                builder.transportOption("rdma.networks", NETWORKS)
                                        .transportOption("rdma.resume-timeout", resumeTimeout)
                                        .transportOption("rdma.probe-timeout", "10s")
                                        .transportOption("rdma.ack-timeout", "100ms"))
                .expectLoss();
    }

    private Aeron connect(Path directory) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(directory.toString())
                        .driverTimeoutMs(Host.PATIENCE.toMillis())
                        .errorHandler(errors::add));
    }

    private static void awaitTransports(
            SourcedStream stream, Subscription subscription, Image image, int count) {
        Await.until(
                count + " transports",
                60,
                () -> {
                    stream.read(subscription);
                    return image.activeTransportCount() == count;
                });
    }

    /** Cuts the wire until the connections to these ports are lost; their streams continue. */
    private static void cutAndRestore(Host a, int... ports) {
        long[] failures = each(a, "failures", ports);
        long[] resumes = each(a, "resumes", ports);
        Wire.cut();
        Await.until("noticed", 60, () -> areMore(each(a, "failures", ports), failures));
        Wire.restore();
        Await.until("resumed", 120, () -> areMore(each(a, "resumes", ports), resumes));
    }

    /**
     * Returns a counter of the connection to each port. Connections to other ports, where no
     * subscription listens, may fail in the meantime.
     */
    private static long[] each(Host a, String counter, int... ports) {
        String to = "rdma to " + Host.addressB() + ":%d from " + Host.addressA() + ": " + counter;
        return IntStream.of(ports)
                .mapToLong(port -> a.counters().sum(to.formatted(port)))
                .toArray();
    }

    private static boolean areMore(long[] values, long[] than) {
        return IntStream.range(0, values.length).allMatch(i -> values[i] > than[i]);
    }

    @Test
    void resumesAfterOutage() {
        Wire.assumeHere();
        try (Host b = host(Host.addressB(), "200s");
                Host a = host(Host.addressA(), "200s");
                Aeron in = connect(b.directory());
                Aeron out = connect(a.directory())) {
            SourcedStream stream = new SourcedStream(out);
            Subscription subscription =
                    in.addSubscription(SourcedStream.MANUAL, SourcedStream.STREAM);
            ExclusivePublication one = stream.source(Host.overWire(ONE), 0);
            subscription.addDestination(ONE);
            Await.until("connected", 60, one::isConnected);
            Await.until("an image", () -> subscription.imageCount() == 1);
            Image image = subscription.imageAtIndex(0);
            stream.write(300, subscription, one);
            ExclusivePublication other = stream.source(Host.overWire(OTHER), one.position());
            subscription.addDestination(OTHER);
            awaitTransports(stream, subscription, image, 2);
            b.awaitCounter(MOVED, moves -> moves == 1);
            stream.write(300, subscription, one, other);
            cutAndRestore(a, PORT, PORT + 1);
            stream.write(300, subscription, one, other);
            subscription.removeDestination(ONE);
            awaitTransports(stream, subscription, image, 1);
            b.awaitCounter(MOVED, moves -> moves == 2);
            stream.write(300, subscription, other);
            cutAndRestore(a, PORT + 1);
            stream.write(300, subscription, other);
            stream.readAll(subscription);
            assertFalse(image.isClosed());
            other.close();
            Await.until("the end", () -> subscription.imageCount() == 0);
            assertTrue(image.isEndOfStream());
        }
        assertEquals(List.of(), errors);
    }

    /** A suspended driver never answers the request to move, and is killed during the move. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void continuesWithoutSourceOfKilledDriver(boolean isSuspended) {
        Path directory =
                Path.of("/dev/shm/verbus-system-test-sources-" + ProcessHandle.current().pid());
        try (Host b = host(Host.addressB(), "3s");
                Host a = host(Host.addressA(), "3s");
                Child killed =
                        Child.rdmaDriver(
                                folder,
                                directory,
                                Host.addressA(),
                                "client-liveness-timeout=20s",
                                "rdma.networks=" + NETWORKS);
                Aeron in = connect(b.directory());
                Aeron out = connect(a.directory())) {
            SourcedStream stream = new SourcedStream(out);
            Subscription subscription =
                    in.addSubscription(SourcedStream.MANUAL, SourcedStream.STREAM);
            Image image;
            ExclusivePublication other;
            Aeron doomed =
                    Aeron.connect(
                            new Aeron.Context()
                                    .aeronDirectoryName(directory.toString())
                                    .driverTimeoutMs(Host.PATIENCE.toMillis())
                                    .errorHandler(error -> {}));
            try (doomed) {
                ExclusivePublication one = stream.source(doomed, Host.overWire(ONE), 0);
                subscription.addDestination(ONE);
                Await.until("connected", 60, one::isConnected);
                Await.until("an image", () -> subscription.imageCount() == 1);
                image = subscription.imageAtIndex(0);
                stream.write(300, subscription, one);
                stream.readAll(subscription);
                if (isSuspended) {
                    killed.suspend();
                }
                other = stream.source(Host.overWire(OTHER), one.position());
                subscription.addDestination(OTHER);
                awaitTransports(stream, subscription, image, 2);
                if (!isSuspended) {
                    b.awaitCounter(MOVED, moves -> moves == 1);
                    stream.write(300, subscription, one, other);
                }
                killed.kill();
            }
            stream.write(300, subscription, other);
            awaitTransports(stream, subscription, image, 1);
            // The killed driver's stream may have moved while it was held; it no longer does.
            long movesBefore = b.counters().sum(MOVED);
            subscription.removeDestination(ONE);
            b.awaitCounter(MOVED, moves -> moves == movesBefore + 1);
            stream.write(300, subscription, other);
            stream.readAll(subscription);
            assertFalse(image.isClosed());
        }
        assertEquals(List.of(), errors);
    }
}
