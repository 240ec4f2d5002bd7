// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.transport.TestHost;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import java.util.List;

/**
 * Publications, subscribers and links come and go at random. In the end every stream flows, and
 * then everything is released.
 */
public final class RandomLife {
    private static final int STREAMS = 4;

    private final LifeNet net;

    public RandomLife(LifeNet net) {
        this.net = net;
    }

    /**
     * Runs the life.
     *
     * @param events number of random events.
     */
    public void live(int events) {
        net.endpoint();
        for (int i = 0; i < events; i++) {
            event();
            net.forMillis(net.random().nextInt(3));
            drain();
        }
        settle();
    }

    private void event() {
        TestHost b = net.b();
        int stream = net.random().nextInt(STREAMS);
        switch (net.random().nextInt(11)) {
            case 9, 10 -> {
                b.movesFrames = net.random().nextBoolean();
                List.copyOf(b.images).forEach(net.transportOfB().inbound()::moveImage);
            }
            case 8 -> net.replaceDevice();
            case 0, 1 -> net.a().publish(net.channel(), stream);
            case 2 -> closeOne();
            case 3, 4 -> {
                b.subscribed.add(stream);
                net.transportOfB().inbound().onSubscriptionAdded(net.endpoint(), stream);
            }
            case 5 -> {
                b.subscribed.remove(stream);
                for (TestImage image : List.copyOf(b.images)) {
                    if (image.setup.streamId() == stream) {
                        net.transportOfB().inbound().closeImage(image);
                    }
                }
            }
            case 6 -> net.breakSomething();
            default -> net.reading(net.random().nextBoolean());
        }
    }

    private void closeOne() {
        List<TestStream> streams = net.a().streams;
        if (!streams.isEmpty()) {
            close(streams.get(net.random().nextInt(streams.size())));
        }
    }

    private void close(TestStream stream) {
        if (!stream.isEnding()) {
            stream.end();
            net.transportOfA().outbound().closePublication(stream);
        }
    }

    private void drain() {
        drain(net);
    }

    /** The driver's part: images that ended are closed when they are read. */
    static void drain(LifeNet net) {
        for (TestImage image : List.copyOf(net.b().images)) {
            if (image.lost != null
                    || image.isMoved()
                    || image.endingAt >= 0 && image.isEndOfStream()) {
                net.transportOfB().inbound().closeImage(image);
            }
        }
    }

    private void settle() {
        net.heal();
        net.reading(true);
        for (int stream = 0; stream < STREAMS; stream++) {
            net.b().subscribed.add(stream);
            net.transportOfB().inbound().onSubscriptionAdded(net.endpoint(), stream);
        }
        net.until("every stream flows", this::isEveryStreamFlowing);
        List.copyOf(net.a().streams).forEach(this::close);
        net.until(
                "everything is released",
                () -> {
                    drain();
                    return net.a().streams.isEmpty() && net.b().images.isEmpty();
                });
        net.until("the connection is closed", () -> net.connectionsOfA() == 0);
        net.until("at both ends", () -> net.connectionsOfB() == 0);
        assertEquals(0, net.queuePairs());
        assertNoViolations(net.a());
        assertNoViolations(net.b());
    }

    /** Drivers of one version follow the protocol, whatever happens. */
    public static void assertNoViolations(TestHost host) {
        assertEquals(
                List.of(),
                host.errors.stream().filter(e -> e.contains("violated the protocol: ")).toList());
    }

    private boolean isEveryStreamFlowing() {
        drain();
        List<TestStream> streams = net.a().streams;
        return streams.stream().allMatch(s -> s.connected || s.isEnding())
                && net.b().images.size() == streams.stream().filter(s -> !s.isEnding()).count();
    }
}
