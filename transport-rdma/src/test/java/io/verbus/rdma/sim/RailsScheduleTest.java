// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.lives.RandomLife;
import io.verbus.rdma.sim.FanOutNet.Place;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One stream over two rails to one image: rails lose their connections, silently or not, stand
 * still, or lose their driver and return, at any step. The subscriber reads each message once.
 */
class RailsScheduleTest {
    private static final int SCHEDULES = 8 * Integer.getInteger("verbus.lives", 1);
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

    @TempDir Path directory;

    private long terms;
    private long left;
    private long resumes;
    private long restarts;

    @Tag("slow")
    @Test
    void readsEachMessageOnceDespiteRailFailures() {
        long first = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        for (int i = 0; i < SCHEDULES; i++) {
            try {
                live(first + i);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dverbus.seed=" + (first + i) + ": " + e.getMessage(), e);
            }
        }
        String sum =
                "rails: "
                        + terms
                        + " terms, "
                        + left
                        + " left, "
                        + resumes
                        + " resumed, "
                        + restarts
                        + " restarted";
        System.out.println(sum);
        assertTrue(terms > 4L * SCHEDULES && resumes > SCHEDULES && restarts > SCHEDULES, sum);
        assertTrue(left > SCHEDULES / 10, sum);
    }

    private void live(long seed) {
        try (FanOutNet net = new FanOutNet(seed, directory, OPTIONS);
                MergedRails rails = connect(net)) {
            TestStream stream = net.a.streams.getFirst();
            for (int i = 0; i < EVENTS; i++) {
                event(net, rails);
                turn(net, rails, 1 + net.random.nextInt(4));
            }
            net.publishing = true;
            rails.slowness = 0;
            net.places.forEach(place -> place.driver.isReceiverAsleep = false);
            long position = stream.position();
            until(net, rails, () -> stream.position() > position + 2L * FanOutNet.TERM_LENGTH);
            until(net, rails, () -> net.places.stream().allMatch(rails::isCovered));
            net.publishing = false;
            until(net, rails, () -> rails.position() == stream.position());
            assertEquals(stream.offered, rails.next());
            terms += stream.position() / FanOutNet.TERM_LENGTH;
            resumes += net.a.counter(": resumes");
            RandomLife.assertNoViolations(net.a);
            for (Place place : net.places) {
                left += net.a.value("drops of " + place.destination().endpoint());
                RandomLife.assertNoViolations(place.driver);
            }
        }
    }

    private static MergedRails connect(FanOutNet net) {
        net.maxTurns = 400_000;
        TestStream stream = net.publish("max");
        for (int i = 0; i < 2; i++) {
            Place place = net.place(false);
            place.subscribe();
            net.add(stream, place);
        }
        MergedRails rails = new MergedRails(net);
        until(net, rails, () -> rails.position() > 0);
        until(net, rails, () -> net.places.stream().allMatch(rails::isCovered));
        return rails;
    }

    private static void until(FanOutNet net, MergedRails rails, BooleanSupplier condition) {
        try {
            net.until(
                    "as the rails should",
                    () -> {
                        rails.work();
                        return condition.getAsBoolean();
                    });
        } catch (AssertionError e) {
            throw new AssertionError(rails + "\n" + e.getMessage(), e);
        }
    }

    private static void turn(FanOutNet net, MergedRails rails, long millis) {
        long end = net.nowNs + millis * 1_000_000;
        until(net, rails, () -> net.nowNs >= end);
    }

    private void event(FanOutNet net, MergedRails rails) {
        Place place = net.places.get(net.random.nextInt(2));
        switch (net.random.nextInt(7)) {
            case 0 -> rails.slowness = net.random.nextInt(30);
            case 1 -> place.driver.isReceiverAsleep = net.random.nextBoolean();
            case 2, 3 -> breakOne(net, place);
            case 4, 5 -> {
                place.crash();
                turn(net, rails, net.random.nextInt(20));
                place.subscribe();
                restarts++;
            }
            default -> net.publishing = net.random.nextInt(4) > 0;
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

    /** The rate is low enough for the log to hold everything sent until the probe fails. */
    @RepeatedTest(10)
    void continuesWithoutTimeoutWhenRailIsCutSilently() {
        try (FanOutNet net = new FanOutNet(System.nanoTime(), directory, OPTIONS);
                MergedRails rails = connect(net)) {
            TestStream stream = net.a.streams.getFirst();
            net.publishing = false;
            long[] dueNs = {net.nowNs};
            Place place = net.places.get(net.random.nextInt(2));
            int[] cuts = {0};
            rails.measure();
            long end = net.nowNs + 100_000_000;
            until(
                    net,
                    rails,
                    () -> {
                        if (net.nowNs >= dueNs[0] && stream.offer()) {
                            dueNs[0] = net.nowNs + 500_000;
                        }
                        if (cuts[0] == 0 && net.nowNs > end - 80_000_000) {
                            cuts[0] = 1;
                            place.driver.fabric.connections().getFirst().sim().cutIfConnected();
                        }
                        return net.nowNs >= end;
                    });
            assertEquals(0, stream.disconnects);
            assertTrue(
                    rails.longestGapNs < 10_000_000,
                    rails.longestGapNs + " ns without a message; seed " + net.seed);
        }
    }
}
