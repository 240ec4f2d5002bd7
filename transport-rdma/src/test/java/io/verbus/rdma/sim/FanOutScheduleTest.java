// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.lives.RandomLife;
import io.verbus.rdma.sim.FanOutNet.Place;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

/**
 * Random schedules of a publication with several destinations, some of which are slow, die, lose
 * their connection and resume, are removed and added. Each image must hold an unbroken run of
 * correct messages up to its end position: sent log memory was never reused too early. Destinations
 * that the flow control waits for must receive every message in one image.
 */
class FanOutScheduleTest {
    private static final int SCHEDULES = 8 * Integer.getInteger("verbus.lives", 1);

    /**
     * Maximum number of schedules, reached if too few events have happened in {@link #SCHEDULES}.
     */
    private static final int MAX_SCHEDULES = 8 * SCHEDULES;

    private static final int EVENTS = 40;
    private static final String[] OPTIONS = {
        "rdma.backoff-min", "1ms",
        "rdma.backoff-max", "4ms",
        "rdma.probe-timeout", "20ms",
        "rdma.probe-interval", "5ms",
        "rdma.status-interval", "1ms",
        "rdma.linger", "2ms",
        "rdma.resume-timeout", "60s"
    };

    /** Totals over all schedules. */
    private long left;

    private long resumes;
    private long ended;
    private long terms;

    @TempDir Path directory;

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"min", "max", "tagged,g:7"})
    void neverReusesSentLogMemory(String flowControl) {
        live(flowControl, false);
    }

    /** The destinations announce themselves, and return. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"min", "max"})
    void neverReusesLogMemorySentToDynamicReceivers(String flowControl) {
        live(flowControl, true);
    }

    private void live(String flowControl, boolean isDynamic) {
        long first = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        for (int i = 0; i < SCHEDULES || i < MAX_SCHEDULES && !isEnough(flowControl); i++) {
            try {
                live(first + i, flowControl, isDynamic);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dverbus.seed=" + (first + i) + ": " + e.getMessage(), e);
            }
        }
        String sum =
                flowControl
                        + ": "
                        + left
                        + " left, "
                        + resumes
                        + " resumed, "
                        + ended
                        + " ended, "
                        + terms
                        + " terms";
        System.out.println(sum);
        assertTrue(isEnough(flowControl), sum);
    }

    /** Whether enough has happened: a test in which nothing happens proves nothing. */
    private boolean isEnough(String flowControl) {
        return terms > 4L * SCHEDULES
                && resumes > SCHEDULES / 2
                && (flowControl.equals("min") || left > SCHEDULES / 10);
    }

    private void live(long seed, String flowControl, boolean isDynamic) {
        try (FanOutNet net = new FanOutNet(seed, directory, OPTIONS)) {
            net.isDynamic = isDynamic;
            net.maxTurns = 400_000;
            TestStream stream = net.publish(flowControl);
            int count = 2 + net.random.nextInt(3);
            for (int i = 0; i < count; i++) {
                Place place = net.place(i == 0 || net.random.nextBoolean());
                place.subscribe();
                if (!isDynamic) {
                    net.add(stream, place);
                }
            }
            // The first is never killed or removed: it has the tag, and must receive every message.
            Place steady = net.places.getFirst();
            net.until("steady", () -> steady.isConnected() && steady.image() != null);
            TestImage all = steady.image();
            for (int i = 0; i < EVENTS; i++) {
                event(net, stream);
                net.forMillis(1 + net.random.nextInt(4));
            }
            settle(net, stream);
            if (!flowControl.equals("max")) {
                TestImage last = steady.image();
                if (last.first() != all || last.next != stream.offered) {
                    throw new AssertionError(
                            "one that is waited for has lost messages: "
                                    + last.next
                                    + " of "
                                    + stream.offered
                                    + ", "
                                    + all.lost
                                    + ", ended "
                                    + all.endingAt
                                    + " "
                                    + steady.driver.errors
                                    + net.a.errors);
                }
            }
            end(net, stream);
        }
    }

    private void event(FanOutNet net, TestStream stream) {
        int number = net.random.nextInt(net.places.size());
        Place place = net.places.get(number);
        switch (net.random.nextInt(9)) {
            case 8 -> {
                place.driver.movesFrames = net.random.nextBoolean();
                List.copyOf(place.driver.images)
                        .forEach(place.driver.transport.inbound()::moveImage);
            }
            case 0 -> place.slowness = net.random.nextInt(60);
            case 1 -> place.reading = net.random.nextInt(3) > 0;
            case 2, 3 -> breakOne(net, place);
            case 4 -> {
                if (number > 0) {
                    place.crash();
                    place.subscribe();
                }
            }
            case 5 -> {
                if (number > 0 && net.isDynamic) {
                    place.leave();
                    net.forMillis(net.random.nextInt(12));
                    place.subscribe();
                } else if (number > 0) {
                    net.remove(stream, place);
                    if (net.random.nextBoolean()) {
                        net.forMillis(net.random.nextInt(4));
                    }
                    net.add(stream, place);
                }
            }
            case 6 -> net.publishing = net.random.nextInt(4) > 0;
            default -> {
                if (number > 0) {
                    for (TestImage image : List.copyOf(place.driver.images)) {
                        place.driver.transport.inbound().closeImage(image);
                    }
                    if (net.random.nextBoolean()) {
                        place.driver.subscribed.clear();
                        net.forMillis(net.random.nextInt(4));
                        place.subscribe();
                    }
                }
            }
        }
    }

    private static void breakOne(FanOutNet net, Place place) {
        List<SimConnection> connections = place.driver.fabric.connections();
        if (!connections.isEmpty() && connections.getFirst().peer() != null) {
            if (net.random.nextInt(3) == 0) {
                connections.getFirst().sim().cutIfConnected();
            } else if (connections.getFirst().sim().isConnected()) {
                connections.getFirst().breakLink("link flap");
            }
        }
    }

    private static void settle(FanOutNet net, TestStream stream) {
        net.publishing = true;
        for (Place place : net.places) {
            place.reading = true;
            place.slowness = 0;
        }
        net.until(
                "every destination is connected",
                () -> net.places.stream().allMatch(p -> p.isConnected() && p.image() != null));
        long position = stream.position();
        net.until("it continues", () -> stream.position() > position + 3L * FanOutNet.TERM_LENGTH);
        net.publishing = false;
        net.until(
                "every destination is at the end",
                () -> net.places.stream().allMatch(p -> p.isAtEnd(stream)));
    }

    private void end(FanOutNet net, TestStream stream) {
        terms += stream.position() / FanOutNet.TERM_LENGTH;
        resumes += net.a.counter(": resumes");
        for (Place place : net.places) {
            left += Math.max(0, net.a.value("drops of " + place.destination().endpoint()));
            ended += place.ended.size();
        }
        stream.end();
        net.a.transport.outbound().closePublication(stream);
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        net.until("disconnected", () -> net.a.fabric.connections().isEmpty());
        RandomLife.assertNoViolations(net.a);
        net.places.forEach(place -> RandomLife.assertNoViolations(place.driver));
    }
}
