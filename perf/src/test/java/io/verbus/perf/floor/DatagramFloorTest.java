// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.RoundTrips;
import io.verbus.perf.load.Work;

import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class DatagramFloorTest {
    private static final int COUNT = 5_000;

    private final Work work =
            new Work(
                    Work.Wire.UDP,
                    2,
                    Work.Drivers.EMBEDDED,
                    288,
                    1408,
                    65536,
                    COUNT,
                    0,
                    Load.roundTrips(Load.MAX, 1),
                    Work.Threading.INVOKER,
                    Work.Idle.YIELD,
                    Work.Idle.YIELD,
                    "127.0.0.1",
                    "127.0.0.1",
                    24_610,
                    "");

    @Test
    void echoesEveryDatagramOneAtATimeAndAtUnsustainableRate() throws Exception {
        AtomicBoolean isRunning = new AtomicBoolean(true);
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                DatagramFloor far = new DatagramFloor(work);
                DatagramFloor near = new DatagramFloor(work)) {
            Reflector reflector = far.reflector();
            Future<?> reflecting = threads.submit(() -> reflect(reflector, isRunning));
            try {
                RoundTrips trips =
                        new RoundTrips(
                                SystemNanoClock.INSTANCE,
                                YieldingIdleStrategy.INSTANCE,
                                near::initiator);
                assertEquals(COUNT, count(trips.oneAtATime(COUNT)));
                assertEquals(COUNT, count(trips.atRate(COUNT, 100_000_000, 1)));
            } finally {
                isRunning.set(false);
                reflecting.get(10, TimeUnit.SECONDS); // before its sockets are closed
            }
        }
    }

    @Test
    void rejectsStreams() {
        try (DatagramFloor floor = new DatagramFloor(work)) {
            assertThrows(UnsupportedOperationException.class, floor::sources);
        }
    }

    private static long count(Measurement measurement) {
        return measurement.histogram().getTotalCount();
    }

    private static void reflect(Reflector reflector, AtomicBoolean isRunning) {
        while (isRunning.get()) {
            if (reflector.poll() == 0) {
                Thread.yield();
            }
        }
    }
}
