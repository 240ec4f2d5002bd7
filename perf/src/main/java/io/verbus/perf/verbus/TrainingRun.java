// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbus.driver.tools.Verbus;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.UUID;

/**
 * Training workload for the JVM's ahead-of-time cache: an embedded driver, a client that warms up,
 * round trips over shared memory, then the command line. The cache stores loaded classes and
 * profiles.
 */
public final class TrainingRun {
    private static final int LENGTH = 32;
    private static final int ROUND_TRIPS = 200_000;

    private TrainingRun() {}

    /** Runs the workload, and exits as the command line does. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Work work =
                new Work(
                        Work.Wire.IPC,
                        1,
                        Work.Drivers.EMBEDDED,
                        LENGTH,
                        1408,
                        64 * 1024,
                        ROUND_TRIPS,
                        0,
                        Load.roundTrips(Load.MAX, 1),
                        Work.Threading.SHARED,
                        Work.Idle.BUSY_SPIN,
                        Work.Idle.BACKOFF,
                        "",
                        "",
                        0,
                        "");
        System.setProperty(VerbusStack.WARM_UP_PROPERTY, "30");
        roundTrips(work);
        Verbus.main(new String[] {"--help"});
    }

    private static void roundTrips(Work work) throws IOException, InterruptedException {
        PipedOutputStream orders = new PipedOutputStream();
        PipedInputStream said = new PipedInputStream();
        try (PrintStream out = new PrintStream(new PipedOutputStream(said), true, UTF_8);
                BufferedReader lines = new BufferedReader(new InputStreamReader(said, UTF_8));
                VerbusStack stack =
                        new VerbusStack(
                                work, Role.BOTH, "/dev/shm/verbus-training-" + UUID.randomUUID())) {
            Worker worker = new Worker(work, new PipedInputStream(orders), out);
            Thread thread =
                    Thread.ofPlatform().name("worker").start(() -> worker.run(Role.BOTH, stack));
            orders.write((Worker.RUN + " " + work.messages() + "\n").getBytes(UTF_8));
            orders.flush();
            String line = lines.readLine();
            while (line != null && !line.startsWith(Worker.RESULT)) {
                line = lines.readLine();
            }
            orders.close();
            thread.join();
        }
    }
}
