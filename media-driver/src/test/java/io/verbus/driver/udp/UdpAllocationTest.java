// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Subscription;
import io.verbus.driver.AgentAllocation;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The agents' threads allocate nothing while messages flow over UDP. */
@Timeout(180)
@Tag("slow")
@Tag("alone")
class UdpAllocationTest {
    private static final int WARM_UP = 300_000;
    private static final int MESSAGES = 200_000;
    private static final long DEADLINE_NS = 80_000_000_000L;

    /**
     * Allowance for allocations that are not per message: JIT and class initialisation on an
     * agent's thread.
     */
    private static final long SLACK = 4096;

    /** Number of the next message, of the sender and of each receiver. */
    private int nextSent;

    private final int[] next = new int[2];
    private int reading;
    private long received;
    private final FragmentHandler handler =
            (buffer, offset, length, header) -> {
                if (buffer.getInt(offset) != next[reading]) {
                    throw new AssertionError(
                            "message " + buffer.getInt(offset) + " instead of " + next[reading]);
                }
                next[reading]++;
                received++;
            };

    @Test
    void agentsAllocateNothingPerMessage() throws IOException {
        String channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        measure(channel, List.of(), List.of(channel));
    }

    @Test
    void agentsAllocateNothingPerMessageToSeveralDestinations() throws IOException {
        List<String> places =
                List.of(
                        "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort(),
                        "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort());
        measure("verbus:udp?control-mode=manual|fc=min", places, places);
    }

    @Test
    void agentsAllocateNothingForReceiveTimestamps() throws IOException {
        String channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        measure(
                channel,
                List.of(),
                List.of(channel + "|media-rcv-ts-offset=8|channel-rcv-ts-offset=16"));
    }

    private void measure(String channel, List<String> destinations, List<String> places) {
        DriverConfig config =
                Drivers.config()
                        .threading(ThreadingMode.DEDICATED)
                        .directory(DriverDirectory.uniquePath())
                        .build();
        try (MediaDriver driver = MediaDriver.launch(config);
                Bus bus = Drivers.connect(driver)) {
            List<Subscription> in = new ArrayList<>();
            places.forEach(place -> in.add(bus.addSubscription(place, 1)));
            ExclusivePublication out = bus.addExclusivePublication(channel, 1);
            destinations.forEach(out::addDestination);
            Await.until("connected", () -> in.stream().allMatch(Subscription::isConnected));
            Subscription[] all = in.toArray(new Subscription[0]);
            exchange(out, all, WARM_UP);
            AgentAllocation.assertBelow(SLACK, () -> exchange(out, all, MESSAGES));
        }
    }

    private void exchange(ExclusivePublication out, Subscription[] in, int count) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        int sent = 0;
        received = 0;
        long start = System.nanoTime();
        while (received < (long) count * in.length) {
            message.putInt(0, nextSent);
            if (sent < count && out.offer(message) > 0) {
                sent++;
                nextSent++;
            }
            int read = 0;
            for (int i = 0; i < in.length; i++) {
                reading = i;
                read += in[i].poll(handler, 10);
            }
            if (read == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - start > DEADLINE_NS) {
                throw new AssertionError("only " + received + " of " + count);
            }
        }
    }
}
