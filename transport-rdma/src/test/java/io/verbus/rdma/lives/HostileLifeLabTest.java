// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/**
 * Peers that break the protocol, over queue pairs of the strict device: a driver's stream resumes
 * whatever its peer, or a stranger, sends.
 */
@Tag("lab")
@Tag("strict")
class HostileLifeLabTest {
    private static final int LIVES = 15;
    private static final int ATTACKS = 8;

    /** Longest time that a stranger stays, unless it is ended before. */
    private static final int MOST_MICROS = 8_000;

    private static final int STREAM = 42;

    @TempDir Path directory;

    @Test
    void survivesArbitraryMessagesFromPeers() {
        Lives.run(LIVES, this::live);
    }

    private void live(long seed) {
        try (DeviceNet net = new DeviceNet(seed, directory, Lives.options(seed))) {
            Attack attack = new Attack(net.random);
            try (DeviceStranger stranger =
                    new DeviceStranger(
                            DeviceNet.ADDRESS_OF_A,
                            DeviceNet.ADDRESS_OF_B,
                            DeviceNet.PORT,
                            attack)) {
                net.subscribe(STREAM);
                TestStream stream = net.a().publish(net.channel(), STREAM);
                awaitFlow(net, stream);
                for (int i = 0; i < ATTACKS; i++) {
                    attack(net, attack, stranger);
                    awaitFlow(net, stream);
                }
            }
        }
    }

    private static void attack(DeviceNet net, Attack attack, DeviceStranger stranger) {
        switch (net.random.nextInt(4)) {
            case 0 -> post(attack, net.a());
            case 1 -> post(attack, net.b());
            default -> {
                stranger.sendHello(Junk.hello(net.random));
                long leaveNs = System.nanoTime() + net.random.nextInt(MOST_MICROS) * 1000L;
                net.until(
                        "the stranger has left",
                        () -> {
                            stranger.turn();
                            drain(net);
                            if (System.nanoTime() - leaveNs > 0) {
                                stranger.leave();
                            }
                            return stranger.isIdle();
                        });
            }
        }
    }

    private static void post(Attack attack, DeviceDriver driver) {
        if (driver.fabric.last() != null) {
            attack.post(driver.fabric.last());
        }
    }

    private static void drain(DeviceNet net) {
        for (TestImage image : List.copyOf(net.b().images)) {
            if (image.lost != null || image.endingAt >= 0) {
                net.transportOfB().inbound().closeImage(image);
            }
        }
    }

    /** Whatever happened to the connection, the stream flows again in the end. */
    private static void awaitFlow(DeviceNet net, TestStream stream) {
        long offered = stream.offered;
        net.until(
                "carried again",
                () -> {
                    drain(net);
                    return stream.connected
                            && net.b().images.stream()
                                    .anyMatch(
                                            image ->
                                                    image.lost == null
                                                            && image.next > offered + 20
                                                            && image.setup.streamId() == STREAM);
                });
    }
}
