// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/**
 * Outages longer and shorter than the resume timeout, in any order: earlier ones have no effect.
 * Also streams that are refused while they resume.
 */
class RepeatedOutageTest {
    private static final int STREAM = 42;
    private static final int LIVES = Integer.getInteger("verbus.lives", 12);
    private static final long FIRST_SEED =
            Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int SHORT_MS = 15;
    private static final int LONG_MS = 130;
    private static final String[] OPTIONS = {
        "rdma.backoff-min", "1ms",
        "rdma.backoff-max", "2ms",
        "rdma.probe-timeout", "10ms",
        "rdma.probe-interval", "2ms",
        "rdma.status-interval", "2ms",
        "rdma.resume-timeout", "60ms"
    };

    @TempDir Path directory;

    @Test
    void resumesInTimeAfterAnySequenceOfOutages() {
        for (int i = 0; i < LIVES; i++) {
            long seed = FIRST_SEED + i;
            try (TwoDrivers net = new TwoDrivers(seed, directory, OPTIONS)) {
                live(net);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dverbus.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static void live(TwoDrivers net) {
        TestStream stream = connected(net);
        // A long outage, then a short one, then random ones.
        cut(net, stream, true);
        cut(net, stream, false);
        for (int i = 0; i < 3; i++) {
            cut(net, stream, net.random.nextBoolean());
        }
    }

    private static TestStream connected(TwoDrivers net) {
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("some", () -> !net.b.images.isEmpty() && net.b.image().received > 20);
        return stream;
    }

    private static void cut(TwoDrivers net, TestStream stream, boolean isLong) {
        TestImage image = net.b.image();
        net.forMillis(net.random.nextInt(3));
        net.network.cutWire();
        net.forMillis(isLong ? LONG_MS : 1 + net.random.nextInt(SHORT_MS));
        net.network.restoreWire();
        if (isLong) {
            net.until("lost", () -> image.lost != null);
            net.b.transport.inbound().closeImage(image);
            net.until("released", () -> image.released);
        }
        long before = isLong ? 0 : image.received;
        net.until(
                "continues",
                () ->
                        stream.connected
                                && !net.b.images.isEmpty()
                                && net.b.images.getLast().received > before + 20);
        if (isLong) {
            assertNotEquals(image, net.b.image());
        } else {
            assertEquals(null, image.lost);
            assertEquals(image, net.b.image());
        }
        net.publishing = false;
        net.until("all read", () -> net.b.image().next == stream.offered);
        net.publishing = true;
    }

    /** B cannot resume the stream immediately, but keeps its image, so nothing is lost. */
    @Test
    void resumesInSameImageAfterRefusedResume() {
        try (TwoDrivers net =
                new TwoDrivers(FIRST_SEED, directory, "rdma.probe-timeout", "100ms")) {
            TestStream stream = connected(net);
            TestImage image = net.b.image();
            refuseToResume(net);
            assertTrue(net.a.rejections.getLast());
            assertFalse(
                    net.a.errors.toString().contains("the stream restarts"),
                    net.a.errors.toString());
            assertEquals(0, stream.disconnects, "publishers see back pressure");

            acceptAgain(net);
            long before = image.received;
            net.until("continues", () -> image.received > before + 100);
            net.publishing = false;
            net.until("all read", () -> image.received == stream.offered);
            assertEquals(image, net.b.image());
            assertEquals(0, stream.disconnects);
            assertEquals(0, net.a.counter("protocol violations"));
        }
    }

    /** The refused stream still has accepted but unsent messages. */
    @Test
    void sendsRestOfStreamClosedWhilePeerRefuses() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory)) {
            TestStream stream = connected(net);
            TestImage image = net.b.image();
            net.reading = false;
            net.until("a rest", () -> stream.position() > image.position() + 20_000);
            refuseToResume(net);
            stream.end();
            net.a.transport.outbound().closePublication(stream);
            net.forMillis(5);
            assertFalse(net.a.releasedStreams.contains(stream));

            acceptAgain(net);
            net.reading = true;
            net.until("all read", () -> image.isEndOfStream() && image.endingAt >= 0);
            assertEquals(stream.offered, image.received);
            net.until("released", () -> net.a.releasedStreams.contains(stream));
        }
    }

    /** Neither a slow reader nor unsent messages delay the end. */
    @Test
    void endsRevokedStreamImmediately() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory)) {
            TestStream stream = connected(net);
            TestImage image = net.b.image();
            net.reading = false;
            net.until("a rest", () -> stream.position() > image.position() + 20_000);
            net.publishing = false;
            stream.revoke();
            net.a.transport.outbound().closePublication(stream);
            net.until("revoked", () -> image.revokedAt >= 0);
            assertEquals(-1, image.endingAt);
            assertTrue(image.revokedAt > image.position() && image.lost == null);
            net.b.transport.inbound().closeImage(image);
            net.until("released", () -> net.a.releasedStreams.contains(stream) && image.released);
            assertEquals(0, net.b.counter("protocol violations by publishing drivers"));
        }
    }

    @Test
    void endsImageOfStreamRevokedWhilePeerRefuses() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory)) {
            TestStream stream = connected(net);
            TestImage image = net.b.image();
            refuseToResume(net);
            stream.revoke();
            net.a.transport.outbound().closePublication(stream);
            acceptAgain(net);
            net.until("revoked", () -> image.revokedAt >= 0);
            net.until("released", () -> net.a.releasedStreams.contains(stream));
        }
    }

    @Test
    void startsNewImageIfOldImageEndsWhilePeerRefuses() {
        try (TwoDrivers net =
                new TwoDrivers(FIRST_SEED, directory, "rdma.resume-timeout", "200ms")) {
            TestStream stream = connected(net);
            TestImage image = net.b.image();
            refuseToResume(net);
            net.until("lost", () -> image.lost != null);
            net.until("not connected", () -> !stream.connected);
            net.b.transport.inbound().closeImage(image);
            acceptAgain(net);
            net.until("anew", () -> stream.connected && net.b.images.getLast().received > 50);
            assertEquals(0, net.a.counter("protocol violations"));
            TestImage second = net.b.images.getLast();
            net.connection().breakLink("cable");
            net.until("resumed", () -> net.a.counter("to 10.0.0.2:7400: resumes") == 1);
            net.publishing = false;
            net.until("all read", () -> second.next == stream.offered);
            assertEquals(List.of(second), net.b.images);
        }
    }

    private static void refuseToResume(TwoDrivers net) {
        net.connection().breakLink("cable");
        net.until("gone", () -> net.b.fabric.connections().isEmpty());
        net.until(
                "refused",
                () -> {
                    for (SimConnection connection : net.b.fabric.connections()) {
                        // The connection's own memory is registered before it is up.
                        connection
                                .domain()
                                .refuse(
                                        connection.domain().regions() < 2
                                                ? null
                                                : "cannot pin memory");
                    }
                    return net.a.failures.toString().contains("cannot pin memory");
                });
    }

    private static void acceptAgain(TwoDrivers net) {
        net.b.fabric.connections().forEach(connection -> connection.domain().refuse(null));
    }
}
