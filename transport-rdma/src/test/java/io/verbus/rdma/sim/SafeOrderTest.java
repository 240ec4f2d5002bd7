// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/** {@code rdma.order=safe}, where a later write may land before an earlier one. */
class SafeOrderTest {
    private static final int STREAM = 42;
    private static final int MESSAGES = 3_000;
    private static final int RUNS = 4;
    private static final int RUNS_TO_CATCH = 40;
    private static final int HELLO_3 = 22;

    @TempDir Path directory;

    private static String[] order(String value) {
        return new String[] {"rdma.order", value, "rdma.status-interval", "1ms"};
    }

    private TwoDrivers drivers(long seed, String orderOfA, String orderOfB) {
        TwoDrivers net = new TwoDrivers(seed, directory, order(orderOfA), order(orderOfB));
        net.network.overtake();
        return net;
    }

    /** Sends messages over a link that breaks now and then, to the end of the stream. */
    private static void carry(TwoDrivers net) {
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        for (int part = 1; part <= 3; part++) {
            long wanted = (long) part * MESSAGES / 3;
            net.until(
                    "messages", () -> !net.b.images.isEmpty() && net.b.image().received >= wanted);
            net.connection().breakLink("cable");
        }
        net.publishing = false;
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.until("all messages", () -> net.b.image().received == stream.offered);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        assertEquals(1, net.b.images.size());
        assertTrue(
                net.a.errors.stream().noneMatch(error -> error.contains("violated the protocol")),
                net.a.errors::toString);
    }

    private AssertionError firstFailure(String orderOfA, String orderOfB, int runs) {
        long first = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        for (long seed = first; seed < first + runs; seed++) {
            try (TwoDrivers net = drivers(seed, orderOfA, orderOfB)) {
                net.maxTurns = 300_000;
                if (seed % 4 == 0) {
                    net.network.completeAlone();
                }
                carry(net);
            } catch (AssertionError | InvalidFrameException e) {
                return new AssertionError("-Dverbus.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        return null;
    }

    /** It is sufficient that either driver requests safe order. */
    @ParameterizedTest
    @CsvSource({"safe, safe", "safe, trust", "trust, safe"})
    void carriesStreamsIfEitherDriverRequestsSafeOrder(String orderOfA, String orderOfB) {
        AssertionError failure = firstFailure(orderOfA, orderOfB, RUNS);
        if (failure != null) {
            throw failure;
        }
    }

    @Test
    void detectsReorderingIfNeitherDriverRequestsSafeOrder() {
        assertNotNull(firstFailure("trust", "trust", RUNS_TO_CATCH));
    }

    /** Runs a test at different moments of a stream whose batches are confirmed. */
    private void inFlight(BiConsumer<TwoDrivers, String> test) {
        long first = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        for (long seed = first; seed < first + RUNS_TO_CATCH; seed++) {
            try (TwoDrivers net = drivers(seed, "safe", "safe")) {
                net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
                net.a.publish(TwoDrivers.CHANNEL, STREAM);
                net.until("messages", () -> !net.b.images.isEmpty() && net.b.image().received > 9);
                net.forMillis(seed % 5);
                test.accept(net, "-Dverbus.seed=" + seed);
            }
        }
    }

    /** A batch that is in place, but not committed, must not be lost between two images. */
    @Test
    void commitsBatchBeforeStreamLeavesClosedImage() {
        inFlight(
                (net, seed) -> {
                    TestImage image = net.b.image();
                    net.b.transport.inbound().stopImage(image);
                    net.until("next image", () -> image.released && !net.b.images.isEmpty());
                    assertEquals(net.b.image().setup.position(), image.frontier, seed);
                });
    }

    /** The peer accepts the stream in its next log only where the committed frames end. */
    @Test
    void commitsBatchBeforeStreamMoves() {
        inFlight(
                (net, seed) -> {
                    net.b.transport.inbound().moveImage(net.b.image());
                    net.until("moved", () -> net.b.moves == 1 || !net.b.errors.isEmpty());
                    assertEquals(List.of(), net.b.errors, seed);
                });
    }

    @Test
    void commitsManyStreamsOfOneConnection() {
        try (TwoDrivers net = drivers(System.nanoTime(), "safe", "safe")) {
            for (int stream = 0; stream < 20; stream++) {
                net.b.subscribe(TwoDrivers.CHANNEL, stream);
                net.a.publish(TwoDrivers.CHANNEL, stream);
            }
            net.until(
                    "all streams",
                    () ->
                            net.b.images.size() == 20
                                    && net.b.images.stream().allMatch(i -> i.received > 100));
        }
    }

    @ParameterizedTest
    @CsvSource({"safe, 1, 0", "trust, 0, 1"})
    void countsConnectionsByWriteOrder(String order, int confirmed, int unordered) {
        try (TwoDrivers net = drivers(System.nanoTime(), order, "trust")) {
            PathInfo path = net.a.fabric.path();
            PathInfo doubtful =
                    new PathInfo(
                            path.device(),
                            path.port(),
                            path.isIwarp(),
                            path.linkLayer(),
                            path.netdev(),
                            path.gidType(),
                            path.gid(),
                            path.pathMtu(),
                            path.maxMtu(),
                            path.trafficClass(),
                            path.ackTimeout(),
                            path.retryCount(),
                            path.rnrRetryCount(),
                            PathInfo.Order.DOUBTFUL);
            net.a.fabric.path(doubtful);
            net.b.fabric.path(doubtful);
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            for (TestDriver driver : new TestDriver[] {net.a, net.b}) {
                assertEquals(
                        confirmed,
                        driver.value("rdma: connections whose commits wait for confirmation"));
                assertEquals(
                        unordered,
                        driver.value("rdma: connections over adapters that may reorder writes"));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"safe, trust", "trust, safe"})
    void rejectsDriverThatCannotConfirmWrites(String orderOfA, String orderOfB) {
        try (TwoDrivers net = drivers(System.nanoTime(), orderOfA, orderOfB)) {
            net.network.tamperHellos(
                    hello -> Arrays.copyOf(Arrays.copyOf(hello, HELLO_3), hello.length));
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            TestDriver safe = orderOfA.equals("safe") ? net.a : net.b;
            net.until(
                    "refused",
                    () -> safe.errors.stream().anyMatch(e -> e.contains("cannot confirm writes")));
            assertTrue(!stream.connected);
        }
    }
}
