// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.Hello;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashSet;

/** Tests which peers may connect. Driver A is at 10.0.0.1. */
class AllowedPeersTest {
    private static final int STREAM = 42;
    private static final String[] NO_OPTIONS = {};

    @TempDir Path directory;

    private TwoDrivers drivers(String allowed) {
        return new TwoDrivers(
                System.nanoTime(), directory, NO_OPTIONS, new String[] {"rdma.allow", allowed});
    }

    @Test
    void carriesStreamsOfAllowedHost() {
        try (TwoDrivers net = drivers("192.168.0.0/16,10.0.0.0/31")) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("carried", () -> !net.b.images.isEmpty() && net.b.image().received > 10);
            assertEquals(0, net.b.counter("connections refused by verbus.rdma.allow"));
        }
    }

    @Test
    void acceptsOnlyPeersInSubnetByDefault() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory, NO_OPTIONS)) {
            net.b.fabric.prefixLength(30);
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("carried", () -> !net.b.images.isEmpty() && net.b.image().received > 10);
            byte[] refusal =
                    new Stranger(net.network.fabric("10.0.0.4"))
                            .ask(
                                    new InetSocketAddress("10.0.0.2", 7400),
                                    Hello.of(9, RejectCode.UNSPECIFIED),
                                    net::until);
            assertEquals(RejectCode.NOT_ALLOWED, Hello.read(refusal).rejectCode());
            assertEquals(1, net.b.counter("connections refused by verbus.rdma.allow"));
            assertTrue(
                    net.b
                            .errors
                            .getFirst()
                            .contains(
                                    "a connection from 10.0.0.4 to 10.0.0.2 was refused "
                                            + "because it comes from outside the subnet"),
                    net.b.errors.toString());
        }
    }

    @Test
    void warnsAndRejectsAllIfAddressIsAloneInSubnet() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory, NO_OPTIONS)) {
            net.b.fabric.prefixLength(32);
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            assertTrue(
                    net.b.errors.getFirst().contains("WARN: no peer may connect to 10.0.0.2"),
                    net.b.errors.toString());
            net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("told", () -> !net.a.failures.isEmpty());
            assertTrue(net.a.failures.getFirst().contains("does not allow this host"));
        }
    }

    @Test
    void rejectsHostThatIsNotAllowedAndReportsToBothSides() {
        try (TwoDrivers net = drivers("10.0.0.2/31,fd00::/8")) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until(
                    "refused thrice",
                    () -> net.b.counter("connections refused by verbus.rdma.allow") >= 3);
            assertEquals(
                    1, new HashSet<>(net.b.errors).size(), "one entry for a host: " + net.b.errors);
            assertTrue(
                    net.b
                            .errors
                            .getFirst()
                            .contains("a connection from 10.0.0.1 to 10.0.0.2 was refused"),
                    net.b.errors.toString());
            net.until("told", () -> !net.a.failures.isEmpty());
            assertTrue(
                    net.a.failures.getFirst().contains("does not allow this host"),
                    net.a.failures.toString());
            assertTrue(net.a.rejections.getFirst());
            assertTrue(!stream.connected && net.b.images.isEmpty());
        }
    }
}
