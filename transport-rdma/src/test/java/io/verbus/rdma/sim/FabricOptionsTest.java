// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestStream;
import io.verbus.transport.TransportException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/** Options that channels set on the fabric, and warnings about the resulting path. */
class FabricOptionsTest {
    private static final int STREAM = 10;
    private static final String ASKED =
            "device=sim0|dscp=26|path-mtu=4096|ack-timeout=12|retry-count=3|rnr-retry-count=5";

    @TempDir Path directory;

    private static ChannelUri channel(String keys) {
        return ChannelUri.parse(
                "verbus:rdma?endpoint=10.0.0.2:7400|term-length=64k"
                        + (keys.isEmpty() ? "" : "|" + keys));
    }

    private TwoDrivers drivers(String... options) {
        return new TwoDrivers(System.nanoTime(), directory, options);
    }

    @Test
    void connectsWithOptionsOfChannel() {
        try (TwoDrivers net = drivers("rdma.send-depth", "64", "rdma.retry-count", "2")) {
            net.b.subscribe(channel(ASKED), STREAM);
            TestStream stream = net.a.publish(channel(ASKED), STREAM);
            net.until("connected", () -> stream.connected);
            assertEquals(
                    new ConnectionOptions(64, 64, 256, 220, 3, 5, 12, 104, 4096, "sim0"),
                    net.a.fabric.lastOptions());
        }
    }

    @Test
    void connectsWithDriverOptionsByDefault() {
        try (TwoDrivers net =
                drivers(
                        "rdma.traffic-class", "8",
                        "rdma.ack-timeout", "1ms",
                        "rdma.device", "sim0",
                        "rdma.rnr-retry-count", "6")) {
            net.b.subscribe(channel(""), STREAM);
            TestStream stream = net.a.publish(channel(""), STREAM);
            net.until("connected", () -> stream.connected);
            assertEquals(
                    new ConnectionOptions(
                            256, 64, 256, 220, 6, 6, 8, 8, ConnectionOptions.ANY, "sim0"),
                    net.a.fabric.lastOptions());
        }
    }

    @Test
    void prefersChannelInterfaceOverDriverInterface() {
        try (TwoDrivers net = drivers("rdma.interface", "10.0.0.1")) {
            net.b.subscribe(channel(""), STREAM);
            TestStream stream = net.a.publish(channel(""), STREAM);
            net.until("connected", () -> stream.connected);
            assertEquals(new InetSocketAddress("10.0.0.1", 0), net.a.fabric.lastSource());
            TestStream other = net.a.publish(channel("interface=10.0.0.9"), STREAM + 1);
            net.b.subscribe(channel(""), STREAM + 1);
            net.until("connected", () -> other.connected);
            assertEquals(new InetSocketAddress("10.0.0.9", 0), net.a.fabric.lastSource());
        }
        try (TwoDrivers net = drivers()) {
            net.b.subscribe(channel(""), STREAM);
            TestStream stream = net.a.publish(channel(""), STREAM);
            net.until("connected", () -> stream.connected);
            assertNull(net.a.fabric.lastSource());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "traffic-class=9",
                "dscp=1",
                "path-mtu=1024",
                "ack-timeout=13",
                "retry-count=2",
                "rnr-retry-count=1",
                "device=other"
            })
    void rejectsChannelWhoseOptionsDifferFromSharedConnection(String key) {
        try (TwoDrivers net = drivers()) {
            InboundEndpoint endpoint = net.b.subscribe(channel(ASKED), STREAM);
            TestStream stream = net.a.publish(channel(ASKED), STREAM);
            net.until("connected", () -> stream.connected);
            String said =
                    assertThrows(
                                    TransportException.class,
                                    () ->
                                            net.a
                                                    .transport
                                                    .outbound()
                                                    .addPublication(
                                                            new TestStream(
                                                                    channel(key), stream.log())))
                            .getMessage();
            assertTrue(said.contains("the connection to 10.0.0.2:7400"), said);
            assertTrue(said.contains("use the same value"), said);
            String saidAtB =
                    assertThrows(
                                    TransportException.class,
                                    () -> net.b.transport.inbound().openEndpoint(channel(key)))
                            .getMessage();
            assertTrue(saidAtB.contains("the endpoint 10.0.0.2:7400"), saidAtB);
            assertEquals(
                    endpoint, net.b.transport.inbound().openEndpoint(channel("retry-count=3")));
            assertEquals(endpoint, net.b.transport.inbound().openEndpoint(channel("")));
        }
    }

    private static PathInfo path(String linkLayer, String gidType, String gid, int mtu) {
        try {
            return new PathInfo(
                    "mlx5_0",
                    1,
                    false,
                    linkLayer,
                    "eth0",
                    gidType,
                    InetAddress.getByName(gid),
                    mtu,
                    4096,
                    0,
                    14,
                    6,
                    7,
                    PathInfo.Order.KEPT);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /** Connects twice over the path: the finding is reported once, and counted twice. */
    private void assertWarns(PathInfo path, String counter, String finding, String remedy) {
        try (TwoDrivers net = drivers("rdma.linger", "0ms")) {
            net.a.fabric.path(path);
            net.b.subscribe(channel(""), STREAM);
            net.a.publish(channel(""), STREAM);
            net.until("connected", () -> net.a.streams.getFirst().connected);
            net.connection().breakLink("cable");
            net.until("reconnected", () -> net.a.counter("rdma: connections " + counter) == 2);
            long told = net.a.errors.stream().filter(error -> error.contains(finding)).count();
            assertEquals(1, told, net.a.errors.toString());
            assertTrue(
                    net.a.errors.stream().anyMatch(error -> error.contains(remedy)),
                    net.a.errors.toString());
            assertEquals(0, net.b.counter("rdma: connections " + counter));
        }
    }

    @Test
    void warnsAboutRoceV1() {
        assertWarns(
                path(PathAdvice.ETHERNET, PathAdvice.ROCE_V1, "10.0.0.1", 4096),
                "over RoCE v1",
                "mlx5_0 port 1 connects over IB/RoCE v1",
                "default_roce_mode");
    }

    @Test
    void warnsAboutLinkLocalGid() {
        assertWarns(
                path(PathAdvice.ETHERNET, PathAdvice.ROCE_V2, "fe80::1", 4096),
                "over a link-local GID",
                "the link-local GID fe80:0:0:0:0:0:0:1",
                "that are not link-local");
    }

    @Test
    void warnsAboutUnknownLinkLayer() {
        assertWarns(
                path("link layer 7", "", "10.0.0.1", 4096),
                "over an unexpected link layer",
                "has link layer link layer 7, but InfiniBand or Ethernet was expected",
                "verbus.rdma.link-layer");
    }

    @Test
    void warnsAboutMtuBelowMtuOfPort() {
        assertWarns(
                path(PathAdvice.ETHERNET, PathAdvice.ROCE_V2, "10.0.0.1", 1024),
                "over an MTU below the port's",
                "path MTU 1024, but supports 4096",
                "ip link set dev eth0 mtu 4200");
    }

    @Test
    void warnsOnlyAboutUnexpectedLinkLayer() {
        try (TwoDrivers net = drivers("rdma.link-layer", "infiniband")) {
            net.a.fabric.path(path(PathAdvice.INFINIBAND, PathAdvice.ROCE_V1, "fe80::1", 4096));
            net.b.fabric.path(path(PathAdvice.ETHERNET, PathAdvice.ROCE_V2, "10.0.0.2", 4096));
            net.b.subscribe(channel(""), STREAM);
            TestStream stream = net.a.publish(channel(""), STREAM);
            net.until("connected", () -> stream.connected && !net.b.errors.isEmpty());
            assertEquals(0, net.a.errors.size(), net.a.errors.toString());
            assertTrue(
                    net.b.errors.getFirst().contains("has link layer Ethernet, but"),
                    net.b.errors.toString());
        }
    }
}
