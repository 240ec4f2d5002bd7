// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.PathInfo;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the options of a connection, as the device reports them afterwards. */
@Tag("lab")
@Tag("slow")
@Timeout(60)
class FabricOptionsLabTest {
    private static final int TRAFFIC_CLASS = 26 << 2;

    private static ConnectionOptions options(int trafficClass, int pathMtu, String device) {
        return new ConnectionOptions(64, 16, 256, 64, 3, 5, 15, trafficClass, pathMtu, device);
    }

    private static ConnectionOptions any() {
        return options(ConnectionOptions.ANY, ConnectionOptions.ANY, null);
    }

    private static Connection connect(Lab lab, Listener listener, ConnectionOptions options) {
        return lab.fabricA.connect(
                listener.localAddress(), Lab.at(Lab.addressA(), 0), options, null, new byte[] {1});
    }

    /** Connects A with the options; returns both ends. */
    private static Lab.Pair pair(Lab lab, ConnectionOptions options) {
        Connection a = connect(lab, lab.listen(), options);
        Connection b = lab.awaitRequest();
        b.accept(new byte[] {2});
        Await.until(
                "both ends established",
                () -> lab.eventsA.established.contains(a) && lab.eventsB.established.contains(b),
                lab::poll);
        return new Lab.Pair(a, b);
    }

    private static void assumeKnown(Lab.Pair pair) {
        Assumptions.assumeTrue(pair.a().path().isKnown(), "the device tells no path");
    }

    @Test
    void usesTrafficClassOfInitiatorAtBothEnds() {
        try (Lab lab = new Lab()) {
            Lab.Pair pair = pair(lab, options(TRAFFIC_CLASS, ConnectionOptions.ANY, null));
            assumeKnown(pair);
            Assumptions.assumeTrue(pair.a().path().isRoce(), "a traffic class is RoCE's");
            assertEquals(TRAFFIC_CLASS, pair.a().path().trafficClass());
            assertEquals(TRAFFIC_CLASS, pair.b().path().trafficClass());
        }
    }

    @Test
    void appliesRequestedTimeoutsToDevice() {
        try (Lab lab = new Lab()) {
            Lab.Pair pair = pair(lab, any());
            assumeKnown(pair);
            Assumptions.assumeFalse(pair.a().path().isIwarp(), "TCP has time-outs of its own");
            assertEquals(15, pair.a().path().ackTimeout());
            assertEquals(3, pair.a().path().retryCount());
            assertEquals(5, pair.b().path().rnrRetryCount());
        }
    }

    @Test
    void reportsPathOfConnection() {
        try (Lab lab = new Lab()) {
            Lab.Pair pair = pair(lab, any());
            assumeKnown(pair);
            PathInfo path = pair.a().path();
            assertEquals(pair.a().domain().device(), path.device());
            assertEquals(1, path.port());
            assertTrue(path.maxMtu() >= 1024, path.toString());
            if (path.isRoce()) {
                assertEquals(PathAdvice.ROCE_V2, path.gidType());
                assertEquals(Lab.addressA(), path.gid().getHostAddress());
                assertFalse(path.netdev().isEmpty());
                assertEquals(path.pathMtu(), pair.b().path().pathMtu());
            }
        }
    }

    @Test
    void connectsWithRequestedMtu() {
        try (Lab lab = new Lab()) {
            int mtu = pair(lab, any()).a().path().pathMtu();
            Assumptions.assumeTrue(mtu > 0, "the path has an MTU of its own");
            assertEquals(
                    mtu, pair(lab, options(ConnectionOptions.ANY, mtu, null)).a().path().pathMtu());
        }
    }

    @Test
    void failsToConnectOverPathWithAnotherMtu() {
        try (Lab lab = new Lab()) {
            Connection a = connect(lab, lab.listen(), options(ConnectionOptions.ANY, 256, null));
            lab.awaitRequest().accept(new byte[] {2});
            Lab.Recorder.Ended ended = lab.awaitEnd(lab.eventsA, a);
            assertEquals(Cause.FAILED, ended.cause());
            assertTrue(ended.reason().contains("path-mtu 256"), ended.reason());
        }
    }

    @Test
    void failsToAcceptOverPathWithAnotherMtu() {
        try (Lab lab = new Lab()) {
            Listener listener =
                    lab.listen(
                            lab.fabricB,
                            Lab.at(Lab.addressB(), 0),
                            options(ConnectionOptions.ANY, 256, null));
            Connection a = connect(lab, listener, any());
            Connection b = lab.awaitRequest();
            b.accept(new byte[] {2});
            String said = lab.awaitEnd(lab.eventsB, b).reason();
            assertTrue(said.contains("path-mtu 256"), said);
            b.close();
            lab.awaitEnd(lab.eventsA, a);
        }
    }

    @Test
    void failsToConnectOnAnotherDevice() {
        try (Lab lab = new Lab()) {
            Listener listener = lab.listen();
            Connection a =
                    connect(
                            lab,
                            listener,
                            options(ConnectionOptions.ANY, ConnectionOptions.ANY, "mlx5_77"));
            Lab.Recorder.Ended ended = lab.awaitEnd(lab.eventsA, a);
            assertEquals(Cause.FAILED, ended.cause());
            assertTrue(ended.reason().contains("not on mlx5_77"), ended.reason());
            String said =
                    assertThrows(
                                    FabricException.class,
                                    () ->
                                            lab.listen(
                                                    lab.fabricB,
                                                    Lab.at(Lab.addressB(), 0),
                                                    options(
                                                            ConnectionOptions.ANY,
                                                            ConnectionOptions.ANY,
                                                            "mlx5_77")))
                            .getMessage();
            assertTrue(said.contains("not on mlx5_77"), said);
        }
    }

    @Test
    void usesRequestedDevice() {
        try (Lab lab = new Lab()) {
            String device = pair(lab, any()).a().path().device();
            assertEquals(
                    device,
                    pair(lab, options(ConnectionOptions.ANY, ConnectionOptions.ANY, device))
                            .a()
                            .path()
                            .device());
        }
    }
}
