// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.RoundTrips;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Source;
import io.verbus.perf.load.Work;

import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

@Tag("lab")
@Timeout(120)
class VerbsFloorLabTest {
    private static final int ROUND_TRIPS = 300;
    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void echoesEveryMessageWithOneOrTwoWorkRequests(boolean inTwo) throws InterruptedException {
        AtomicBoolean running = new AtomicBoolean(true);
        try (VerbsFloor far = new VerbsFloor(work(), inTwo);
                VerbsFloor near = new VerbsFloor(work(), inTwo)) {
            Reflector reflector = far.reflector();
            Thread thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (running.get()) {
                                            if (reflector.poll() == 0) {
                                                Thread.yield();
                                            }
                                        }
                                    });
            try {
                RoundTrips trips =
                        new RoundTrips(
                                SystemNanoClock.INSTANCE,
                                YieldingIdleStrategy.INSTANCE,
                                near::initiator);
                assertTrue(trips.awaitConnected(CONNECT_TIMEOUT_NS), "connected");
                assertEquals(
                        ROUND_TRIPS, trips.oneAtATime(ROUND_TRIPS).histogram().getTotalCount());
            } finally {
                running.set(false);
                thread.join();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void transfersMoreMessagesThanSlots(boolean inTwo) {
        int messages = 2 * VerbsLink.SLOTS + 1;
        try (VerbsFloor far = new VerbsFloor(work(), inTwo);
                VerbsFloor near = new VerbsFloor(work(), inTwo)) {
            Arrivals arrivals = new Arrivals(1);
            Sink sink = far.sink(new Arrivals[] {arrivals});
            Source source = near.sources().getFirst();
            long deadline = System.nanoTime() + CONNECT_TIMEOUT_NS;
            long sent = 0;
            while (arrivals.shown() < messages) {
                sink.poll();
                if (source.isConnected() && sent < messages && source.send(sent)) {
                    sent++;
                }
                assertTrue(System.nanoTime() - deadline < 0, "only " + arrivals.shown());
            }
        }
    }

    @Test
    void reportsFailedConnectionWhileWaitingForEcho() {
        try (VerbsFloor near = new VerbsFloor(work(), false)) {
            Initiator initiator;
            try (VerbsFloor far = new VerbsFloor(work(), false)) {
                Reflector reflector = far.reflector();
                initiator = near.initiator((sequence, time) -> {});
                long deadline = System.nanoTime() + CONNECT_TIMEOUT_NS;
                while (!initiator.isConnected()) {
                    reflector.poll();
                    assertTrue(System.nanoTime() - deadline < 0, "not connected");
                }
            }
            initiator.send(0, 0);
            long deadline = System.nanoTime() + RoundTrips.REPLY_TIMEOUT_NS;
            IllegalStateException failure =
                    assertThrows(
                            IllegalStateException.class,
                            () -> {
                                while (System.nanoTime() - deadline < 0) {
                                    initiator.poll();
                                }
                            });
            assertTrue(
                    failure.getMessage()
                            .matches("the (connection was closed|queue pair failed): .+"),
                    failure.getMessage());
        }
    }

    private static Work work() {
        return new Work(
                Work.Wire.RDMA,
                2,
                Work.Drivers.EMBEDDED,
                32,
                1408,
                64 * 1024,
                0,
                0,
                Load.roundTrips(Load.MAX, 1),
                Work.Threading.INVOKER,
                Work.Idle.YIELD,
                Work.Idle.BACKOFF,
                System.getenv("VERBUS_LAB_ADDR1"),
                System.getenv("VERBUS_LAB_ADDR2"),
                20_470,
                "");
    }
}
