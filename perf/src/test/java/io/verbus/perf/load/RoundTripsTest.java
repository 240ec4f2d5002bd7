// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/** Tests the measuring loop with a clock that advances by a fixed step each time it is read. */
class RoundTripsTest {
    private static final long STEP_NS = 100;

    private final FakeWire wire = new FakeWire();

    private long now = 1_000_000_000L;

    @Test
    void measuresFromSendToEchoOneAtATime() {
        wire.delayNs = 5_000;

        Measurement measurement = trips().oneAtATime(1000);

        Histogram histogram = measurement.histogram();
        assertEquals(1000, histogram.getTotalCount());
        assertTrue(histogram.getMinValue() >= 5_000, "min " + histogram.getMinValue());
        assertTrue(histogram.getMaxValue() < 6_000, "max " + histogram.getMaxValue());
        assertFalse(measurement.missedRate());
    }

    @Test
    void recordsEverySampleDelayedByStall() {
        long rate = 10_000;
        long stallNs = TimeUnit.MILLISECONDS.toNanos(100);
        wire.delayNs = 5_000;
        wire.stallAt = 2000;
        wire.stallNs = stallNs;

        Measurement measurement = trips().atRate(5000, rate, 1);

        Histogram histogram = measurement.histogram();
        assertEquals(5000, histogram.getTotalCount());
        assertTrue(histogram.getMaxValue() >= stallNs);
        // 1000 messages were due during the stall, one every 100 us: half waited more than half of
        // it.
        long late = histogram.getCountBetweenValues(stallNs / 2, 2 * stallNs);
        assertTrue(late >= 495 && late <= 505, "late " + late);
        assertFalse(measurement.missedRate());
    }

    @Test
    void reportsMissedRate() {
        wire.sendNs = 20_000; // at most 50,000 per second

        Measurement measurement = trips().atRate(100_000, 100_000, 1);

        assertTrue(measurement.missedRate());
        assertEquals(100_000, measurement.histogram().getTotalCount());
        assertTrue(measurement.perSecond() < 51_000, "rate " + measurement.perSecond());
    }

    @Test
    void excludesSamplesOfPreviousRuns() {
        wire.delayNs = 1_000_000;
        RoundTrips trips = trips();
        trips.oneAtATime(10);
        wire.delayNs = 1_000;

        Histogram histogram = trips.oneAtATime(50).histogram();

        assertEquals(50, histogram.getTotalCount());
        assertTrue(histogram.getMaxValue() < 3_000, "max " + histogram.getMaxValue());
        assertEquals(60, trips.completed());
    }

    @Test
    void failsWhenEchoDoesNotArrive() {
        wire.delayNs = Long.MAX_VALUE / 4;

        IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> trips().oneAtATime(1));

        assertTrue(failure.getMessage().contains("no echo of message 0 within 10 s"));
    }

    @Test
    void failsWhenSendingIsBlocked() {
        wire.open = false;

        assertThrows(IllegalStateException.class, () -> trips().atRate(1, 1000, 1));
        assertThrows(IllegalStateException.class, () -> trips().oneAtATime(1));
    }

    @Test
    void failsWhenEchoIsLost() {
        wire.loseAt = 5;

        IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> trips().atRate(10, 1_000_000, 1));

        assertTrue(failure.getMessage().contains("instead of that of 5"), failure.getMessage());
    }

    @Test
    void waitsForBothEndsToConnect() {
        assertTrue(trips().awaitConnected(1_000_000));

        wire.open = false;
        long start = now;
        assertFalse(trips().awaitConnected(1_000_000));
        assertTrue(now - start >= 1_000_000);
    }

    @Test
    void failsWhenStopped() {
        RoundTrips trips = trips();
        trips.stop();

        assertThrows(IllegalStateException.class, () -> trips.oneAtATime(1));
    }

    @Test
    void doesNotTimeOutWhileWaitingForNextSend() {
        wire.pollNs = TimeUnit.MILLISECONDS.toNanos(1);

        // Longer in total than the reply time-out and the interval between its checks.
        assertEquals(30, trips().atRate(30, 1, 1).histogram().getTotalCount());
    }

    private RoundTrips trips() {
        return new RoundTrips(
                () -> now += STEP_NS,
                NoOpIdleStrategy.INSTANCE,
                handler -> {
                    wire.handler = handler;
                    return wire;
                });
    }

    /** Echoes messages after a delay; stalls once at a given message. */
    private final class FakeWire implements Initiator {
        private final ArrayDeque<long[]> inFlight = new ArrayDeque<>();
        private ReplyHandler handler;
        private boolean open = true;
        private long delayNs;
        private long sendNs;
        private long pollNs;
        private long stallAt = -1;
        private long stallNs;
        private long loseAt = -1;

        @Override
        public boolean isConnected() {
            return open;
        }

        @Override
        public boolean send(long sequence, long time) {
            if (!open) {
                return false;
            }
            now += sendNs;
            if (sequence == stallAt) {
                now += stallNs;
            }
            if (sequence != loseAt) {
                inFlight.add(new long[] {sequence, time, now + delayNs});
            }
            return true;
        }

        @Override
        public int poll() {
            now += STEP_NS + pollNs;
            long[] first = inFlight.peek();
            if (first == null || first[2] > now) {
                return 0;
            }
            inFlight.remove();
            handler.onReply(first[0], first[1]);
            return 1;
        }
    }
}
