// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.StrictDevice;
import io.verbus.channel.ChannelUri;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.TestHost;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

/**
 * Receivers release data long before the sender's device reports that it has sent it. The device
 * ends the process if memory changes or is deregistered before its completion was polled.
 */
@Tag("lab")
@Tag("strict")
@Timeout(120)
class SlowCompletionsLabTest {
    private static final int STREAM = 42;
    private static final int TERM_LENGTH = 64 * 1024;
    private static final long LAPS = 20 * TERM_LENGTH;
    private static final int MOVES = 40;

    @TempDir Path directory;

    @AfterEach
    void endDelay() {
        StrictDevice.plan("");
    }

    @Test
    void keepsLogUntilItsRequestsComplete() {
        long seed = System.nanoTime();
        try (DeviceNet net = new DeviceNet(seed, directory, Lives.options(seed))) {
            net.subscribe(STREAM);
            TestStream stream = net.a().publish(net.channel(), STREAM);
            net.until("connected", () -> stream.connected);
            StrictDevice.plan("completion:*:~10");
            net.until("many laps of the log", () -> stream.position() > LAPS);
            stream.end();
            net.transportOfA().outbound().closePublication(stream);
            net.until("released", () -> net.a().releasedStreams.contains(stream));
        }
    }

    /** The stream is accepted again on the connection that still sends to the earlier image. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsLogWhileImagesMoveAndClose(boolean isStamped) {
        long seed = System.nanoTime();
        try (DeviceNet net = new DeviceNet(seed, directory, Lives.options(seed))) {
            net.subscribe(STREAM);
            TestHost b = net.b();
            InboundTransport subscriber = net.transportOfB().inbound();
            String stamps = isStamped ? "|channel-snd-ts-offset=reserved" : "";
            TestStream stream = net.a().publish(ChannelUri.parse(net.channel() + stamps), STREAM);
            net.until("connected", () -> stream.connected);
            StrictDevice.plan("completion:*:~10");
            for (int i = 0; i < MOVES; i++) {
                if (net.random.nextInt(3) > 0) {
                    b.movesFrames = net.random.nextBoolean();
                    List.copyOf(b.images).forEach(subscriber::moveImage);
                } else {
                    b.subscribed.remove(STREAM);
                    List.copyOf(b.images).forEach(subscriber::closeImage);
                    b.subscribed.add(STREAM);
                    subscriber.onSubscriptionAdded(net.endpoint(), STREAM);
                }
                long end = stream.position() + net.random.nextInt(3 * TERM_LENGTH);
                net.until(
                        "it continues",
                        () -> {
                            RandomLife.drain(net);
                            return stream.position() > end;
                        });
            }
        }
    }
}
