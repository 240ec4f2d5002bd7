// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.verbus.perf.rtt.Measurement;
import io.verbus.perf.rtt.Reflector;
import io.verbus.perf.rtt.Role;
import io.verbus.perf.rtt.RoundTrips;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.rtt.Worker;

import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class RoundTripsOverIpcTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void measuresEveryMessageOneAtATime() {
        Measurement measurement = run(work(2000, 500, Work.ONE_AT_A_TIME));

        assertEquals(2000, measurement.histogram().getTotalCount());
        assertTrue(measurement.histogram().getMinValue() > 0);
    }

    @Test
    void measuresEveryMessageAtARate() {
        Measurement measurement = run(work(2000, 500, 2000));

        assertEquals(2000, measurement.histogram().getTotalCount());
        assertTrue(
                measurement.elapsedNs() >= TimeUnit.MILLISECONDS.toNanos(999),
                "elapsed " + measurement.elapsedNs());
    }

    @Test
    void allocatesNothingForAMessage() throws InterruptedException {
        Work work = work(0, 0, Work.ONE_AT_A_TIME);
        AtomicBoolean running = new AtomicBoolean(true);
        try (VerbusStack stack = new VerbusStack(work, directory())) {
            Reflector reflector = stack.reflector();
            RoundTrips trips =
                    new RoundTrips(
                            SystemNanoClock.INSTANCE, work.idle().strategy(), stack::initiator);
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
                trips.awaitConnected(TimeUnit.SECONDS.toNanos(10));
                trips.oneAtATime(50_000);
                long[] few = allocated(trips, 1000, thread);
                long[] many = allocated(trips, 101_000, thread);

                // What a run allocates besides, its copy of the histogram, is the same for both.
                assertEquals(0, (many[0] - few[0]) / 100_000, "bytes a message, sending thread");
                assertEquals(0, (many[1] - few[1]) / 100_000, "bytes a message, reflecting thread");
            } finally {
                running.set(false);
                thread.join();
            }
        }
    }

    private static long[] allocated(RoundTrips trips, long count, Thread reflector) {
        long sending = THREADS.getCurrentThreadAllocatedBytes();
        long reflecting = THREADS.getThreadAllocatedBytes(reflector.threadId());
        trips.oneAtATime(count);
        return new long[] {
            THREADS.getCurrentThreadAllocatedBytes() - sending,
            THREADS.getThreadAllocatedBytes(reflector.threadId()) - reflecting
        };
    }

    private static Measurement run(Work work) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (VerbusStack stack = new VerbusStack(work, directory())) {
            new Worker(work, new PrintStream(said, true, StandardCharsets.UTF_8))
                    .run(Role.BOTH, stack);
        }
        List<String> lines = said.toString(StandardCharsets.UTF_8).lines().toList();
        assertTrue(lines.getFirst().startsWith(Worker.VERSION + " Verbus"), lines.getFirst());
        return Measurement.parse(lines.getLast().substring(Worker.RESULT.length() + 1));
    }

    private static Work work(long messages, long warmup, long rate) {
        return new Work(
                Work.Wire.IPC,
                32,
                1408,
                64 * 1024,
                messages,
                warmup,
                rate,
                Work.Threading.SHARED,
                Work.Idle.YIELD,
                Work.Idle.BACKOFF,
                "",
                "",
                0);
    }

    private static String directory() {
        return "/dev/shm/verbus-perf-test-" + UUID.randomUUID();
    }
}
