// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.StrictDevice;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Connections of the strict device fail at any step of random lives, also while they resume: every
 * message is delivered exactly once, in order, in the same image.
 */
@Tag("lab")
@Tag("strict")
class ResumeLifeLabTest {
    private static final int LIVES = 10;

    /** On a busy machine, faults meet few streams that could resume. */
    private static final int MOST_ROUNDS = 4;

    private static final int STREAM = 42;
    private static final int MOST_TURNS = 3000;

    @TempDir Path directory;

    /** Streams that continued after a failure. */
    private long resumes;

    @Test
    void resumesExactlyOnceAndInOrderAfterRandomFaults() {
        int lives = 0;
        for (int round = 0; round < MOST_ROUNDS && resumes <= LIVES / 4; round++) {
            lives += Lives.run(LIVES, this::live);
        }
        assertTrue(resumes > LIVES / 4, resumes + " streams resumed in " + lives + " lives");
    }

    private void live(long seed) {
        String[] options =
                Stream.concat(
                                Arrays.stream(Lives.options(seed)),
                                Stream.of("rdma.resume-timeout", "60s"))
                        .toArray(String[]::new);
        try (DeviceNet net = new DeviceNet(seed, directory, options)) {
            net.subscribe(STREAM);
            TestStream stream = net.a().publish(net.channel(), STREAM);
            net.until("connected", () -> stream.connected && !net.b().images.isEmpty());
            TestImage image = net.b().image();
            boolean endsEarly = net.random.nextInt(4) == 0;
            for (int faults = 1 + net.random.nextInt(3); faults > 0; faults--) {
                turn(net, net.random.nextInt(MOST_TURNS));
                if (endsEarly && faults == 1) {
                    end(net, stream);
                    turn(net, net.random.nextInt(MOST_TURNS / 10));
                }
                fail(net);
            }
            turn(net, net.random.nextInt(MOST_TURNS));
            net.heal();
            end(net, stream);
            net.reading(true);
            net.until("all read", () -> image.received == stream.offered && image.isEndOfStream());
            net.until("the end known", () -> image.endingAt == stream.finalPosition());
            net.until("released", () -> net.a().releasedStreams.contains(stream));
            assertEquals(null, image.lost);
            assertEquals(List.of(image), net.b().images);
            RandomLife.assertNoViolations(net.a());
            RandomLife.assertNoViolations(net.b());
            resumes += net.a().counter(": resumes");
        }
    }

    private static void turn(DeviceNet net, int turns) {
        for (int i = 0; i < turns; i++) {
            if (net.random.nextInt(200) == 0) {
                net.reading(net.random.nextBoolean());
            }
            net.turn();
        }
    }

    private static void end(DeviceNet net, TestStream stream) {
        if (!stream.isEnding()) {
            stream.end();
            net.transportOfA().outbound().closePublication(stream);
        }
    }

    private static void fail(DeviceNet net) {
        switch (net.random.nextInt(8)) {
            case 0 -> net.replaceDevice();
            case 1 -> StrictDevice.fail(DeviceNet.DEVICE_OF_A, 0);
            case 2 -> StrictDevice.cut(DeviceNet.DEVICE_OF_A, 0);
            case 3 -> StrictDevice.hangUp(DeviceNet.DEVICE_OF_A, 0);
            default -> net.faults.next(net.random.nextInt(2));
        }
    }
}
