// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.tools.Verbus;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Training workload for the JVM's ahead-of-time cache: starts an embedded driver, warms a client
 * up, and runs round trips over shared memory, a stream over UDP, and the command line. The cache
 * stores loaded classes and profiles.
 */
public final class TrainingRun {
    private static final int LENGTH = 32;
    private static final int ROUND_TRIPS = 200_000;
    private static final int DATAGRAMS = 2_000;
    private static final long UDP_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

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
        streamOverUdp();
        Verbus.main(new String[] {"--help"});
    }

    private static void streamOverUdp() throws IOException {
        String channel = "verbus:udp?term-length=64k|endpoint=127.0.0.1:" + freePort();
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Bus bus = Bus.connect(new BusContext().directoryName(driver.directory()));
                Subscription subscription = bus.addSubscription(channel, 1);
                Publication publication = bus.addPublication(channel, 1)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
            int[] received = new int[1];
            long deadlineNs = System.nanoTime() + UDP_TIMEOUT_NS;
            for (int sent = 0; received[0] < DATAGRAMS && System.nanoTime() < deadlineNs; ) {
                if (sent == received[0] && publication.offer(message, 0, LENGTH) > 0) {
                    sent++;
                }
                subscription.poll((buffer, offset, length, header) -> received[0]++, 10);
            }
        }
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
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
