// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.StreamPart;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.UUID;

@Timeout(60)
class StreamOverIpcTest {
    private static final int LENGTH = 48;

    @Test
    void deliversEveryMessageToEverySubscriber() throws IOException, InterruptedException {
        // Long enough for processor time that is counted in steps of 10 ms.
        Throughput throughput = run(Load.stream(64, 1, 3), 1_000_000)[0];

        assertEquals(1_000_000, throughput.messages());
        assertEquals(1_000_000 * LENGTH, throughput.bytes());
        assertTrue(throughput.elapsedNs() > 0 && throughput.cpuNs() > 0);
    }

    @Test
    void deliversEveryMessageOfEveryPublisher() throws IOException, InterruptedException {
        Throughput throughput = run(Load.stream(64, 2, 1), 20_000)[0];

        assertEquals(40_000, throughput.messages());
    }

    @Test
    void allocatesNothingPerMessage() throws IOException, InterruptedException {
        Throughput[] runs = run(Load.stream(64, 1, 1), 50_000, 1000, 201_000);
        Throughput few = runs[1];
        Throughput many = runs[2];

        // Other allocations of a run are equal in both.
        assertEquals(
                0,
                (many.publisherAllocated() - few.publisherAllocated()) / 200_000,
                "bytes per message, sending thread");
        assertEquals(
                0,
                (many.subscriberAllocated() - few.subscriberAllocated()) / 200_000,
                "bytes per message, receiving thread");
    }

    private static Throughput[] run(Load load, long... counts)
            throws IOException, InterruptedException {
        Work work =
                new Work(
                        Work.Wire.IPC,
                        1,
                        Work.Drivers.EMBEDDED,
                        LENGTH,
                        1408,
                        64 * 1024,
                        0,
                        0,
                        load,
                        Work.Threading.SHARED,
                        Work.Idle.YIELD,
                        Work.Idle.BACKOFF,
                        "",
                        "",
                        0,
                        "");
        PipedOutputStream commands = new PipedOutputStream();
        PipedInputStream said = new PipedInputStream();
        Throughput[] results = new Throughput[counts.length];
        try (PrintStream out = new PrintStream(new PipedOutputStream(said), true, UTF_8);
                BufferedReader lines = new BufferedReader(new InputStreamReader(said, UTF_8));
                VerbusStack stack =
                        new VerbusStack(
                                work,
                                Role.BOTH,
                                "/dev/shm/verbus-perf-test-" + UUID.randomUUID())) {
            Worker worker = new Worker(work, new PipedInputStream(commands), out);
            Thread thread = Thread.ofPlatform().start(() -> worker.run(Role.BOTH, stack));
            for (int i = 0; i < counts.length; i++) {
                commands.write((Worker.RUN + " " + counts[i] + "\n").getBytes(UTF_8));
                commands.flush();
                String line = lines.readLine();
                while (!line.startsWith(Worker.RESULT)) {
                    line = lines.readLine();
                }
                String part = line.substring(Worker.RESULT.length() + 1);
                results[i] = Throughput.of(StreamPart.parse(part));
            }
            commands.close();
            thread.join();
        }
        return results;
    }
}
