// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Subscription;
import io.verbus.cnc.LatencyFile;
import io.verbus.directory.DirectoryTrust;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

/** The agents' threads allocate nothing while they sample as often as they can. */
@Timeout(180)
@Tag("alone")
class LatencyAllocationTest {
    private static final int WARM_UP = 60_000;
    private static final int MESSAGES = 40_000;
    private static final long DEADLINE_NS = 80_000_000_000L;

    /** Allowance for JIT and class initialisation on an agent's thread. */
    private static final long SLACK = 4096;

    private final FragmentHandler handler = (buffer, offset, length, header) -> {};

    @Test
    void samplingAllocatesNothing() throws IOException {
        String udp = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                Drivers.config()
                                        .threading(ThreadingMode.DEDICATED)
                                        .transportOption("udp.status-interval", "1ms")
                                        .latencySamplesPerSecond(1_000_000));
                Bus bus = Drivers.connect(driver)) {
            Subscription[] in = {bus.addSubscription(udp, 1), bus.addSubscription("verbus:ipc", 1)};
            ExclusivePublication[] out = {
                bus.addExclusivePublication(udp, 1), bus.addExclusivePublication("verbus:ipc", 1)
            };
            Await.until("connected", () -> out[0].isConnected() && out[1].isConnected());
            exchange(out, in, WARM_UP);
            long before = samples(driver);
            AgentAllocation.assertBelow(SLACK, () -> exchange(out, in, MESSAGES));
            Await.until("samples", () -> samples(driver) > before);
        }
    }

    /** Returns the least number of samples of a hop. */
    private static long samples(MediaDriver driver) {
        try (LatencyFile file =
                LatencyFile.map(driver.directory().resolve(LatencyFile.NAME), DirectoryTrust.OWN)) {
            return file.read().stream().mapToLong(each -> each.most().count()).min().orElseThrow();
        }
    }

    private void exchange(ExclusivePublication[] out, Subscription[] in, int count) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        long start = System.nanoTime();
        int[] sent = new int[out.length];
        int received = 0;
        while (received < count * out.length) {
            int read = 0;
            for (int i = 0; i < out.length; i++) {
                if (sent[i] < count && out[i].offer(message) > 0) {
                    sent[i]++;
                }
                read += in[i].poll(handler, 10);
            }
            received += read;
            if (read == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - start > DEADLINE_NS) {
                throw new AssertionError("only " + received + " messages");
            }
        }
    }
}
