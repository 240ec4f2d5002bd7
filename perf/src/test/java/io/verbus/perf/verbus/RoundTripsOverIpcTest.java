// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.ThreadMXBean;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.RoundTrips;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class RoundTripsOverIpcTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void measuresEveryMessageOneAtATime() throws IOException, InterruptedException {
        Measurement measurement = run(work(2000, Load.MAX));

        assertEquals(2000, measurement.histogram().getTotalCount());
        assertTrue(measurement.histogram().getMinValue() > 0);
    }

    @Test
    void measuresEveryMessageAtRate() throws IOException, InterruptedException {
        Measurement measurement = run(work(600, 2000));

        assertEquals(600, measurement.histogram().getTotalCount());
        assertTrue(
                measurement.elapsedNs() >= TimeUnit.MILLISECONDS.toNanos(299),
                "elapsed " + measurement.elapsedNs());
    }

    @Test
    void allocatesNothingPerMessage() throws InterruptedException {
        Work work = work(0, Load.MAX);
        AtomicBoolean running = new AtomicBoolean(true);
        try (VerbusStack stack = new VerbusStack(work, Role.BOTH, directory())) {
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
                assertTrue(trips.awaitConnected(TimeUnit.SECONDS.toNanos(10)));
                trips.oneAtATime(50_000);
                long[] few = allocated(trips, 1000, thread);
                long[] many = allocated(trips, 101_000, thread);

                // Other allocations of a run, such as the copy of the histogram, are equal in both.
                assertEquals(0, (many[0] - few[0]) / 100_000, "bytes per message, sending thread");
                assertEquals(
                        0,
                        (many[1] - few[1]) / 100_000,
                        "bytes per message, reflecting" + " thread");
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

    private static Measurement run(Work work) throws IOException, InterruptedException {
        PipedOutputStream commands = new PipedOutputStream();
        PipedInputStream said = new PipedInputStream();
        try (PrintStream out = new PrintStream(new PipedOutputStream(said), true, UTF_8);
                BufferedReader lines = new BufferedReader(new InputStreamReader(said, UTF_8));
                VerbusStack stack = new VerbusStack(work, Role.BOTH, directory())) {
            Worker worker = new Worker(work, new PipedInputStream(commands), out);
            Thread thread = Thread.ofPlatform().start(() -> worker.run(Role.BOTH, stack));
            assertTrue(lines.readLine().startsWith(Worker.VERSION + " Verbus"));
            commands.write((Worker.RUN + " " + work.messages() + "\n").getBytes(UTF_8));
            String line = lines.readLine();
            while (!line.startsWith(Worker.RESULT)) {
                line = lines.readLine();
            }
            commands.close();
            thread.join();
            return Measurement.parse(line.substring(Worker.RESULT.length() + 1));
        }
    }

    private static Work work(long messages, long rate) {
        return new Work(
                Work.Wire.IPC,
                1,
                Work.Drivers.EMBEDDED,
                32,
                1408,
                64 * 1024,
                messages,
                0,
                Load.roundTrips(rate, 1),
                Work.Threading.SHARED,
                Work.Idle.YIELD,
                Work.Idle.BACKOFF,
                "",
                "",
                0,
                "");
    }

    private static String directory() {
        return "/dev/shm/verbus-perf-test-" + UUID.randomUUID();
    }
}
