// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Fifty drivers publish to one: each has its own queue pair, domain and images. */
@Tag("slow")
class FiftyPeersTest {
    private static final int PEERS = 50;
    private static final int STREAM = 3;
    private static final int MESSAGES = 200;

    @TempDir Path directory;

    @Test
    void servesFiftyPeers() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            InboundEndpoint endpoint = net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            List<TestDriver> peers = new ArrayList<>();
            try {
                for (int i = 0; i < PEERS; i++) {
                    TestDriver peer =
                            new TestDriver(net.network, "10.0.1." + i, 10_000 + i, directory);
                    peers.add(peer);
                    peer.publish(TwoDrivers.CHANNEL, STREAM);
                }
                net.until(
                        "all carried",
                        () -> {
                            peers.forEach(peer -> turn(net, peer));
                            return net.b.images.size() == PEERS
                                    && net.b.images.stream()
                                            .allMatch(image -> image.received >= MESSAGES);
                        });
                assertEquals(PEERS, net.b.fabric.connections().size());
                assertEquals(
                        PEERS,
                        net.b.fabric.connections().stream()
                                .map(SimConnection::domain)
                                .distinct()
                                .count());
                assertEquals(List.of(), net.b.errors, "seed " + net.seed);
                net.b.transport.inbound().closeEndpoint(endpoint);
                net.until(
                        "all have gone",
                        () -> {
                            peers.forEach(peer -> turn(net, peer));
                            for (TestImage image : List.copyOf(net.b.images)) {
                                net.b.transport.inbound().closeImage(image);
                            }
                            return net.b.fabric.connections().isEmpty();
                        });
            } finally {
                peers.forEach(TestDriver::close);
            }
        }
    }

    private static void turn(TwoDrivers net, TestDriver peer) {
        if (net.random.nextInt(8) != 0) {
            return;
        }
        peer.conduct(net.nowNs);
        peer.send(net.nowNs);
        for (TestStream stream : peer.streams) {
            stream.clean();
            if (stream.offered < MESSAGES) {
                stream.offer();
            }
        }
    }
}
