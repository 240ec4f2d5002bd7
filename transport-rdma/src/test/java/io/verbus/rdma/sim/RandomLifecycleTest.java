// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.lives.LifeNet;
import io.verbus.rdma.lives.RandomLife;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestHost;
import io.verbus.transport.Transport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Publications, subscribers and links come and go at random; the invariants must hold at the end.
 */
@Tag("slow")
class RandomLifecycleTest {
    private static final int LIVES = 12 * Integer.getInteger("verbus.lives", 1);

    @TempDir Path directory;

    @Test
    void everyStreamFlowsAndIsReleasedAtEnd() {
        long first = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        for (int i = 0; i < LIVES; i++) {
            try {
                live(first + i);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dverbus.seed=" + (first + i) + ": " + e.getMessage(), e);
            }
        }
    }

    private void live(long seed) {
        try (TwoDrivers net =
                new TwoDrivers(
                        seed,
                        directory,
                        "rdma.backoff-min",
                        "1ms",
                        "rdma.backoff-max",
                        "4ms",
                        "rdma.probe-timeout",
                        "20ms",
                        "rdma.probe-interval",
                        "5ms",
                        "rdma.status-interval",
                        "1ms",
                        "rdma.linger",
                        "2ms",
                        "rdma.order",
                        seed % 3 == 0 ? "safe" : "trust")) {
            if (seed % 3 == 0) {
                net.network.overtake();
            }
            if (net.random.nextInt(4) == 0) {
                net.network.completeAlone();
            }
            new RandomLife(new Net(net)).live(120);
        }
    }

    /** Adapts the simulated network to a random life. */
    private static final class Net implements LifeNet {
        private final TwoDrivers net;
        private final InboundEndpoint endpoint;

        Net(TwoDrivers net) {
            this.net = net;
            endpoint = net.b.transport.inbound().openEndpoint(TwoDrivers.CHANNEL);
        }

        @Override
        public Random random() {
            return net.random;
        }

        @Override
        public ChannelUri channel() {
            return TwoDrivers.CHANNEL;
        }

        @Override
        public TestHost a() {
            return net.a;
        }

        @Override
        public TestHost b() {
            return net.b;
        }

        @Override
        public Transport transportOfA() {
            return net.a.transport;
        }

        @Override
        public Transport transportOfB() {
            return net.b.transport;
        }

        @Override
        public InboundEndpoint endpoint() {
            return endpoint;
        }

        @Override
        public void reading(boolean isReading) {
            net.reading = isReading;
        }

        @Override
        public void breakSomething() {
            List<SimConnection> connections = net.a.fabric.connections();
            if (!connections.isEmpty() && connections.getFirst().peer() != null) {
                if (net.random.nextInt(3) == 0) {
                    connections.getFirst().sim().cutIfConnected();
                } else if (connections.getFirst().sim().isConnected()) {
                    connections.getFirst().breakLink("link flap");
                }
            }
        }

        @Override
        public void replaceDevice() {
            net.a.fabric.replaceDevice();
        }

        @Override
        public void heal() {
            // No fault is permanent.
        }

        @Override
        public void forMillis(long millis) {
            net.forMillis(millis);
        }

        @Override
        public void until(String what, BooleanSupplier condition) {
            net.until(what, condition);
        }

        @Override
        public int connectionsOfA() {
            return net.a.fabric.connections().size();
        }

        @Override
        public int connectionsOfB() {
            return net.b.fabric.connections().size();
        }

        @Override
        public long queuePairs() {
            return net.network.queuePairs();
        }
    }
}
