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
import java.util.List;

/**
 * Publications, subscribers and links come and go at random; the invariants must hold at the end.
 */
@Tag("slow")
class RandomLifecycleTest {
    private static final int LIVES = 12 * Integer.getInteger("verbus.lives", 1);
    private static final int STREAMS = 4;

    @TempDir Path directory;

    @Test
    void releasesEverythingAndEveryStreamFlowsAtEnd() {
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
            InboundEndpoint endpoint = net.b.transport.openEndpoint(TwoDrivers.CHANNEL);
            for (int i = 0; i < 120; i++) {
                event(net, endpoint);
                net.forMillis(net.random.nextInt(3));
                drain(net);
            }
            settle(net, endpoint);
        }
    }

    private static void event(TwoDrivers net, InboundEndpoint endpoint) {
        int stream = net.random.nextInt(STREAMS);
        switch (net.random.nextInt(11)) {
            case 9, 10 -> {
                net.b.movesFrames = net.random.nextBoolean();
                List.copyOf(net.b.images).forEach(net.b.transport::moveImage);
            }
            case 8 -> net.a.fabric.replaceDevice();
            case 0, 1 -> net.a.publish(TwoDrivers.CHANNEL, stream);
            case 2 -> closeOne(net);
            case 3, 4 -> {
                net.b.subscribed.add(stream);
                net.b.transport.onSubscriptionAdded(endpoint, stream);
            }
            case 5 -> {
                net.b.subscribed.remove(stream);
                for (TestImage image : List.copyOf(net.b.images)) {
                    if (image.setup.streamId() == stream) {
                        net.b.transport.closeImage(image, "no subscriber");
                    }
                }
            }
            case 6 -> {
                List<SimConnection> connections = net.a.fabric.connections();
                if (!connections.isEmpty() && connections.getFirst().peer() != null) {
                    if (net.random.nextInt(3) == 0) {
                        connections.getFirst().sim().cutIfConnected();
                    } else if (connections.getFirst().sim().isConnected()) {
                        connections.getFirst().breakLink("link flap");
                    }
                }
            }
            default -> net.reading = net.random.nextBoolean();
        }
    }

    private static void closeOne(TwoDrivers net) {
        if (net.a.streams.isEmpty()) {
            return;
        }
        TestStream stream = net.a.streams.get(net.random.nextInt(net.a.streams.size()));
        if (!stream.isEnding()) {
            stream.end();
            net.a.transport.closePublication(stream);
        }
    }

    /** The driver's part: closes ended images once they are read. */
    private static void drain(TwoDrivers net) {
        for (TestImage image : List.copyOf(net.b.images)) {
            if (image.lost != null
                    || image.isMoved()
                    || image.endingAt >= 0 && image.isEndOfStream()) {
                net.b.transport.closeImage(image, "drained");
            }
        }
    }

    private static void settle(TwoDrivers net, InboundEndpoint endpoint) {
        net.reading = true;
        for (int stream = 0; stream < STREAMS; stream++) {
            net.b.subscribed.add(stream);
            net.b.transport.onSubscriptionAdded(endpoint, stream);
        }
        net.until(
                "every stream flows",
                () -> {
                    drain(net);
                    return net.a.streams.stream().allMatch(s -> s.connected || s.isEnding())
                            && net.b.images.size()
                                    == net.a.streams.stream().filter(s -> !s.isEnding()).count();
                });
        for (TestStream stream : List.copyOf(net.a.streams)) {
            if (!stream.isEnding()) {
                stream.end();
                net.a.transport.closePublication(stream);
            }
        }
        net.until(
                "everything is released",
                () -> {
                    drain(net);
                    return net.a.streams.isEmpty() && net.b.images.isEmpty();
                });
        net.until("the connection is closed", () -> net.a.fabric.connections().isEmpty());
        net.until("at both ends", () -> net.b.fabric.connections().isEmpty());
        assertEquals(0, net.network.queuePairs());
    }
}
