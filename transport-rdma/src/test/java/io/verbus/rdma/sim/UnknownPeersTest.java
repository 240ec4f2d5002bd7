// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An unknown peer can take only a limited share of a subscribing driver's resources, for a limited
 * time.
 */
class UnknownPeersTest implements FabricHandler {
    private static final int STREAM = 42;
    private static final InetSocketAddress B = new InetSocketAddress("10.0.0.2", 7400);
    private static final String GIVEN_UP = "rdma: connections closed without offering a stream";

    private static final String REFUSED = "rdma: connections refused by verbus.rdma.allow";

    @TempDir Path directory;

    private final List<SimConnection> established = new ArrayList<>();
    private final List<Connection> ended = new ArrayList<>();

    @Override
    public void onConnectRequest(
            Listener listener, Connection connection, InetSocketAddress from, byte[] data) {
        throw new AssertionError("nothing listens here");
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
        established.add((SimConnection) connection);
    }

    @Override
    public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        ended.add(connection);
        connection.close();
    }

    private TwoDrivers drivers(String... options) {
        TwoDrivers net = new TwoDrivers(System.nanoTime(), directory, options);
        net.network.expectAccessErrors();
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        return net;
    }

    private static SimConnection connect(SimFabric stranger, long driverId) {
        return stranger.connect(
                B,
                null,
                ConnectionOptions.DEFAULT,
                null,
                Hello.of(driverId, RejectCode.UNSPECIFIED));
    }

    private static byte[] setup(long registrationId, int termLength) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        Setup offer =
                new Setup(
                        registrationId,
                        5,
                        STREAM,
                        5,
                        termLength,
                        1408,
                        0,
                        64,
                        1,
                        77,
                        false,
                        false,
                        0);
        byte[] message =
                new byte
                        [new ControlEncoder(Versions.OURS.highest())
                                .setup(buffer, 0, offer, 0, false)];
        buffer.getBytes(0, message);
        return message;
    }

    private static void assertCarries(TwoDrivers net, TestStream stream) {
        net.until("connected", () -> stream.connected);
        long before = received(net, stream);
        net.until("carried", () -> received(net, stream) > before + 50);
    }

    private static long received(TwoDrivers net, TestStream stream) {
        int sessionId = stream.log().spec().sessionId();
        return net.b.images.stream()
                .filter(image -> image.setup.sessionId() == sessionId)
                .mapToLong(image -> image.received)
                .sum();
    }

    @Test
    void limitsConnectionsThatOfferNoStream() {
        try (TwoDrivers net = drivers("rdma.max-half-open", "8")) {
            SimFabric stranger = net.network.fabric("10.0.0.9");
            int most = 0;
            for (int i = 0; i < 100; i++) {
                connect(stranger, 900 + i);
                net.until("accepted", () -> stranger.poll(this, net.nowNs) > 0);
                most = Math.max(most, net.b.fabric.connections().size());
            }
            // A closed connection remains until the receiver has released it.
            assertTrue(most < 60, most + " connections");
            net.until(
                    "the rest given up",
                    () -> {
                        stranger.poll(this, net.nowNs);
                        return net.b.fabric.connections().size() <= 8;
                    });
            assertTrue(net.b.counter(GIVEN_UP) >= 92, net.b.counterText());
            assertEquals(
                    1,
                    net.b.errors.stream()
                            .filter(error -> error.contains("because they did not offer a stream"))
                            .distinct()
                            .count(),
                    net.b.errors.toString());
            assertCarries(net, net.a.publish(TwoDrivers.CHANNEL, STREAM));
        }
    }

    private int told(SimFabric stranger, TwoDrivers net) {
        stranger.poll(this, net.nowNs);
        return ended.size();
    }

    /** The conductor does not spend its time answering and logging unknown peers. */
    @Test
    void limitsRejectReasonsPerSecond() {
        try (TwoDrivers net = drivers("rdma.allow", "10.0.0.1")) {
            SimFabric stranger = net.network.fabric("10.0.0.9");
            for (int i = 0; i < 150; i++) {
                connect(stranger, 900 + i);
            }
            net.until("all refused", () -> net.b.counter(REFUSED) == 150);
            net.until("all gone", () -> net.b.fabric.connections().isEmpty());
            net.until("the first told", () -> told(stranger, net) == 100);
            net.forMillis(200);
            assertEquals(100, told(stranger, net));

            net.forMillis(1_000);
            connect(stranger, 1_050);
            net.until("told again", () -> told(stranger, net) == 101);
        }
    }

    @Test
    void closesConnectionThatOffersNoStreamInTime() {
        try (TwoDrivers net = drivers("rdma.half-open-timeout", "50ms")) {
            SimFabric stranger = net.network.fabric("10.0.0.9");
            connect(stranger, 900);
            net.until(
                    "given up",
                    () -> {
                        stranger.poll(this, net.nowNs);
                        return !ended.isEmpty();
                    });
            assertEquals(1, established.size());
            assertEquals(1, net.b.counter(GIVEN_UP));
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            assertCarries(net, stream);
            net.forMillis(100);
            assertCarries(net, stream);
            assertEquals(1, net.b.counter(GIVEN_UP));
        }
    }

    @Test
    void limitsMemoryOfHostToItsShare() {
        try (TwoDrivers net = drivers("rdma.max-image-memory", "1m", "rdma.linger", "0ms")) {
            long share = (1 << 20) / LogLayout.fileLength(TwoDrivers.CHANNEL.termLength());
            for (int i = 0; i < 2 * share; i++) {
                net.a.publish(TwoDrivers.CHANNEL, STREAM);
            }
            net.until("some refused", () -> net.a.rejections.size() >= share);
            net.until(
                    "others accepted",
                    () -> net.a.streams.stream().filter(each -> each.connected).count() == share);
            assertEquals(share, net.b.images.size());
            assertTrue(
                    net.a.failures.getFirst().contains("rdma.max-image-memory"),
                    net.a.failures.toString());
            List<TestStream> first =
                    net.a.streams.stream().filter(stream -> stream.connected).toList();
            for (TestStream stream : first) {
                stream.end();
                net.a.transport.outbound().closePublication(stream);
            }
            net.until(
                    "the others in their place",
                    () -> {
                        for (TestImage image : List.copyOf(net.b.images)) {
                            if (image.endingAt >= 0 && image.position() == image.endingAt) {
                                net.b.transport.inbound().closeImage(image);
                            }
                        }
                        return net.a.streams.size() == share
                                && net.a.streams.stream().allMatch(stream -> stream.connected);
                    });
        }
    }

    @Test
    void rejectsEndPositionThatDiffersFromReceivedFrames() {
        try (TwoDrivers net = drivers()) {
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            assertCarries(net, stream);
            net.publishing = false;
            net.until("read", () -> net.b.image().position() == stream.position());
            TestImage image = net.b.image();
            long lie = 1L << 30;
            net.connection().sim().inject(List.of(close(stream.registrationId(), lie)));
            net.until("lost", () -> image.lost != null);
            assertTrue(image.lost.contains("but the received frames end at"), image.lost);
            assertEquals(-1, image.endingAt);
            assertEquals(1, net.b.counter("protocol violations by publishing drivers"));
        }
    }

    private static byte[] close(long registrationId, long position) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        byte[] message =
                new byte
                        [new ControlEncoder(Versions.OURS.highest())
                                .close(buffer, 0, registrationId, position, StreamEnd.PLACED)];
        buffer.getBytes(0, message);
        return message;
    }

    @Test
    void connectionStormExhaustsNeitherCountersNorErrorLog() {
        try (TwoDrivers net = drivers()) {
            SimFabric stranger = net.network.fabric("10.0.0.9");
            for (int i = 0; i < 200; i++) {
                int before = ended.size();
                SimConnection connection = connect(stranger, 900 + i);
                net.until(
                        "established",
                        () -> {
                            stranger.poll(this, net.nowNs);
                            return established.contains(connection);
                        });
                connection.sim().inject(List.of(setup(i, 65_537 + i)));
                net.until(
                        "ended",
                        () -> {
                            stranger.poll(this, net.nowNs);
                            return ended.size() > before;
                        });
            }
            net.until(
                    "the last violation counted",
                    () -> net.b.counter("protocol violations by publishing drivers") == 200);
            long unlogged = net.b.counter("rdma: errors caused by peers but not logged");
            assertEquals(1, net.b.errors.size(), "once per host and kind: " + net.b.errors);
            assertEquals(200, unlogged + net.b.errors.size());
            long lines = net.b.counterText().lines().count();
            assertTrue(lines < 13 * 14 + 20, net.b.counterText());
            byte[] noHello = {1, 2, 3};
            stranger.connect(B, null, ConnectionOptions.DEFAULT, null, noHello);
            net.until(
                    "the storm not to hide what is of another kind",
                    () -> {
                        stranger.poll(this, net.nowNs);
                        return net.b.errors.stream()
                                .anyMatch(error -> error.contains("is not a Verbus driver"));
                    });
            assertCarries(net, net.a.publish(TwoDrivers.CHANNEL, STREAM));
        }
    }

    /** Each connection comes from another host, as an attacker would claim. */
    @Test
    void limitsErrorLogEntriesOfAllPeers() {
        try (TwoDrivers net = drivers()) {
            byte[] noHello = {1, 2, 3};
            for (int i = 0; i < 200; i++) {
                if (i == 100) {
                    net.nowNs += TimeUnit.DAYS.toNanos(1); // time makes no difference
                }
                SimFabric stranger = net.network.fabric("10.1.0." + i);
                int before = ended.size();
                stranger.connect(B, null, ConnectionOptions.DEFAULT, null, noHello);
                net.until(
                        "refused",
                        () -> {
                            stranger.poll(this, net.nowNs);
                            return ended.size() > before;
                        });
            }
            assertEquals(64, net.b.errors.size());
            assertEquals(136, net.b.counter("rdma: errors caused by peers but not logged"));
        }
    }

    @Test
    void logsVaryingRefusalsOfOneDriverOnce() {
        try (TwoDrivers net = drivers()) {
            net.b.setupRefusal = "no room for file 0";
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            for (int i = 1; i < 6; i++) {
                String words = "no room for file " + i;
                net.b.setupRefusal = words;
                net.until("refused", () -> net.a.failures.toString().contains(words));
            }
            assertEquals(1, net.a.errors.size(), net.a.errors.toString());
            assertEquals(1, net.b.errors.size(), net.b.errors.toString());
            assertTrue(
                    net.a.counter("rdma: errors caused by peers but not logged") >= 4,
                    net.a.counterText());
            net.b.setupRefusal = null;
            assertCarries(net, stream);
        }
    }

    @Test
    void countsFailedOffersTowardsMemoryShare() {
        try (TwoDrivers net = drivers("rdma.max-image-memory", "1m")) {
            long share = (1 << 20) / LogLayout.fileLength(TwoDrivers.CHANNEL.termLength());
            net.b.setupRefusal = "no room";
            for (int i = 0; i < 4 * share; i++) {
                net.a.publish(TwoDrivers.CHANNEL, STREAM);
            }
            net.until("all refused", () -> net.a.rejections.size() == 4 * share);
            assertEquals(share, net.b.setups);
        }
    }

    @Test
    void retainsCountersOfEndedConnectionTemporarily() {
        try (TwoDrivers net = drivers()) {
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            assertCarries(net, stream);
            net.connection().sim().inject(List.of(new byte[] {1, 2, 3}));
            net.until("ended", () -> net.b.counterText().contains(", ended: last failure: "));
            String counters = net.b.counterText();
            assertTrue(
                    counters.contains(
                            "last failure: the peer violated the protocol: a control message has"
                                    + " invalid length 3=1"),
                    counters);
            assertTrue(counters.contains(", ended: protocol violations=1"), counters);
            net.forMillis(5_000);
            counters = net.b.counterText();
            assertTrue(!counters.contains(", ended: "), counters);
        }
    }
}
