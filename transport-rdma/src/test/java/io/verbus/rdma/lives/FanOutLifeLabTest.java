// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.StrictDevice;
import io.verbus.rdma.lives.DeviceFan.Place;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

/**
 * Random lives of a publication with several destinations on the strict device: these are slow, are
 * killed, lose their connections and resume, are removed and added. Each image must hold an
 * unbroken run of messages up to the position at which it ends.
 */
@Tag("lab")
@Tag("strict")
class FanOutLifeLabTest {
    private static final int LIVES = 4;
    private static final int EVENTS = 15;

    /** A few lives may have no fault that breaks a connection. */
    private static final int MAX_ROUNDS = 10;

    @TempDir Path directory;

    private long resumes;
    private long ended;

    @ParameterizedTest
    @ValueSource(strings = {"min", "max"})
    void imagesAreUnbrokenAfterRandomFaults(String flowControl) {
        int lives = 0;
        for (int i = 0; i < MAX_ROUNDS && resumes + ended <= lives / 4; i++) {
            lives += Lives.run(LIVES, seed -> live(seed, flowControl));
        }
        assertTrue(
                resumes + ended > lives / 4,
                resumes + " resumed and " + ended + " ended in " + lives + " lives");
    }

    private void live(long seed, String flowControl) {
        try (DeviceFan net = new DeviceFan(seed, directory, Lives.options(seed))) {
            TestStream stream = net.publish(flowControl);
            for (int i = 2 + net.random.nextInt(2); i > 0; i--) {
                Place place = net.place();
                place.subscribe();
                net.add(stream, place);
            }
            net.until(
                    "connected",
                    () -> net.places.stream().allMatch(p -> p.isConnected() && p.image() != null));
            for (int i = 0; i < EVENTS; i++) {
                event(net, stream);
                net.forMillis(1 + net.random.nextInt(4));
            }
            settle(net, stream);
            resumes += net.a.counter(": resumes");
            net.places.forEach(place -> ended += place.ended.size());
            stream.end();
            net.a.transport.outbound().closePublication(stream);
            net.until("released", () -> net.a.releasedStreams.contains(stream));
            RandomLife.assertNoViolations(net.a);
            net.places.forEach(place -> RandomLife.assertNoViolations(place.driver));
        }
    }

    private static void event(DeviceFan net, TestStream stream) {
        Place place = net.places.get(net.random.nextInt(net.places.size()));
        switch (net.random.nextInt(9)) {
            case 0 -> place.slowness = net.random.nextInt(60);
            case 1 -> place.isReading = net.random.nextInt(3) > 0;
            case 2, 3 -> net.faults.next(net.random.nextInt(2));
            case 4 -> {
                place.kill();
                place.subscribe();
            }
            case 5 -> {
                net.remove(stream, place);
                net.forMillis(net.random.nextInt(4));
                net.add(stream, place);
            }
            case 6 -> net.isPublishing = net.random.nextInt(4) > 0;
            case 7 -> {
                int device = net.random.nextInt(2);
                StrictDevice.remove(device);
                net.forMillis(net.random.nextInt(3));
                StrictDevice.add(device);
            }
            default -> {
                place.driver.movesFrames = net.random.nextBoolean();
                for (TestImage image : List.copyOf(place.driver.images)) {
                    if (net.random.nextBoolean()) {
                        place.driver.transport.inbound().moveImage(image);
                    } else {
                        place.driver.transport.inbound().closeImage(image);
                    }
                }
            }
        }
    }

    private static void settle(DeviceFan net, TestStream stream) {
        Faults.end();
        net.isPublishing = true;
        for (Place place : net.places) {
            place.isReading = true;
            place.slowness = 0;
        }
        net.until(
                "every destination is connected",
                () -> net.places.stream().allMatch(p -> p.isConnected() && p.image() != null));
        long position = stream.position();
        net.until("it goes on", () -> stream.position() > position + 3L * DeviceFan.TERM_LENGTH);
        net.isPublishing = false;
        net.until(
                "every destination is at the end",
                () -> net.places.stream().allMatch(p -> p.isAtEnd(stream)));
    }
}
