// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;
import io.verbus.transport.TestSubscriber;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Subscribers join and leave a live image, in steps between which other threads may run: unread
 * data is never overwritten, and each subscriber reads every message from its first one.
 */
class JoinTest {
    private static final int SCHEDULES = Integer.getInteger("verbus.schedules", 60);
    private static final int SCHEDULES_TO_CATCH = 3_000;
    private static final long FIRST_SEED =
            Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int STREAM = 42;
    private static final int TURNS = 30_000;
    private static final int MOST = 3;
    private static final ChannelUri CHANNEL =
            ChannelUri.rdma("10.0.0.2:7400").termLength(64 * 1024).mtu(1408).build();
    private static final ChannelUri SUBSCRIBED =
            ChannelUri.rdma("10.0.0.2:7400").window(128 * 1024).build();

    /** Steps after a joining subscriber has chosen the lowest position. */
    private enum Step {
        /** Its position counts. */
        COUNT,

        /** It checks the granted credit, and joins no earlier. */
        LOOK
    }

    /** Defects that a driver could have. */
    private enum Fault {
        NONE(Step.COUNT, Step.LOOK),
        COUNTS_LAST(Step.LOOK, Step.COUNT),
        DOES_NOT_LOOK(Step.COUNT),

        /** The receiver grants credit without checking the subscribers again. */
        GRANTS_BLINDLY(Step.COUNT, Step.LOOK);

        private final List<Step> steps;

        Fault(Step... steps) {
            this.steps = List.of(steps);
        }
    }

    @TempDir Path directory;

    @Test
    void missesNoMessageAfterJoining() {
        int[] joins = new int[1];
        AssertionError caught = firstCaught(SCHEDULES, Fault.NONE, joins);
        if (caught != null) {
            throw caught;
        }
        assertTrue(joins[0] > SCHEDULES, joins[0] + " joins");
    }

    @Tag("slow")
    @Test
    void catchesReceiverThatCountsSubscriberTooLate() {
        assertNotNull(firstCaught(SCHEDULES_TO_CATCH, Fault.COUNTS_LAST, new int[1]));
    }

    @Tag("slow")
    @Test
    void catchesSubscriberThatIgnoresGrantedCredit() {
        assertNotNull(firstCaught(SCHEDULES_TO_CATCH, Fault.DOES_NOT_LOOK, new int[1]));
    }

    @Tag("slow")
    @Test
    void catchesReceiverThatGrantsCreditWithoutCheck() {
        assertNotNull(firstCaught(SCHEDULES_TO_CATCH, Fault.GRANTS_BLINDLY, new int[1]));
    }

    private AssertionError firstCaught(int schedules, Fault fault, int[] joins) {
        for (int i = 0; i < schedules; i++) {
            long seed = FIRST_SEED + i;
            try (TwoDrivers net = new TwoDrivers(seed, directory)) {
                joins[0] += new Life(net, fault).live();
            } catch (AssertionError | RuntimeException e) {
                return new AssertionError(
                        "schedule " + i + " with -Dverbus.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        return null;
    }

    private static final class Life {
        private final TwoDrivers net;
        private final Fault fault;
        private final TestStream stream;
        private final TestImage image;

        private final ArrayDeque<Step> steps = new ArrayDeque<>();

        /** The joining subscriber, or null. */
        private TestSubscriber joining;

        /** Whether it continues during a step of the receiver, rather than long afterwards. */
        private boolean isMeeting;

        private boolean areOthersAsleep;
        private int joins;

        Life(TwoDrivers net, Fault fault) {
            this.net = net;
            this.fault = fault;
            net.b.subscribe(SUBSCRIBED, STREAM);
            stream = net.a.publish(CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            image = net.b.image();
            image.meanwhile = this::meanwhile;
            image.grantsBlindly = fault == Fault.GRANTS_BLINDLY;
        }

        int live() {
            for (int turn = 0; turn < TURNS; turn++) {
                if (net.random.nextInt(1000) == 0) {
                    net.b.isReceiverAsleep = net.random.nextInt(3) == 0;
                    areOthersAsleep = net.random.nextBoolean();
                }
                if (net.random.nextInt(joining == null ? 500 : 1000) == 0) {
                    go();
                }
                if (joining == null && !image.others.isEmpty() && net.random.nextInt(3000) == 0) {
                    image.others.remove(net.random.nextInt(image.others.size()));
                }
                readMore();
                net.turn();
            }
            net.b.isReceiverAsleep = false;
            areOthersAsleep = false;
            net.publishing = false;
            while (joining != null) {
                go();
            }
            net.until(
                    "all read",
                    () -> {
                        readMore();
                        return image.least() == stream.position();
                    });
            for (TestSubscriber other : image.others) {
                assertTrue(other.received == 0 || other.next == stream.offered, "to the end");
            }
            assertEquals(stream.offered, image.received);
            assertEquals(List.of(), net.a.errors);
            assertEquals(List.of(), net.b.errors);
            return joins;
        }

        private void meanwhile() {
            while (joining != null && isMeeting && net.random.nextInt(4) != 0) {
                go();
            }
        }

        private void readMore() {
            if (!areOthersAsleep && net.random.nextInt(6) == 0) {
                for (TestSubscriber other : image.others) {
                    if (other != joining) {
                        other.poll(net.random.nextInt(30));
                    }
                }
            }
        }

        /** A step of the conductor; nothing else of it runs until the last one. */
        private void go() {
            if (joining == null) {
                if (image.others.size() < MOST) {
                    joining = new TestSubscriber(image.setup, image.log(), image.least());
                    joining.next = -1;
                    steps.addAll(fault.steps);
                    isMeeting = net.random.nextBoolean();
                    net.b.isConductorBusy = true;
                }
                return;
            }
            switch (steps.poll()) {
                case COUNT -> image.others.add(joining);
                case LOOK -> joining.position(Math.max(joining.position(), image.granted));
            }
            if (steps.isEmpty()) {
                joining = null;
                joins++;
                net.b.isConductorBusy = false;
            }
        }
    }
}
