// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;

class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 60_000;
    private static final int MEASURED = 100_000;

    @TempDir Path directory;

    @Test
    void noDutyCycleAllocatesInSteadyState() {
        try (TwoDrivers net = new TwoDrivers(1, directory)) {
            net.b.subscribe(TwoDrivers.CHANNEL, 1);
            net.b.subscribe(TwoDrivers.CHANNEL, 2);
            TestStream busy = net.a.publish(TwoDrivers.CHANNEL, 1);
            TestStream idle = net.a.publish(TwoDrivers.CHANNEL, 2);
            net.until("connected", () -> busy.connected && idle.connected);
            idle.connected = false;
            net.network.beInstant();
            long sent = busy.offered;
            cycles(net, WARM_UP);
            long allocated = cycles(net, MEASURED);
            assertTrue(busy.offered - sent > MEASURED, busy.offered + " messages");
            assertTrue(net.b.images.stream().anyMatch(image -> image.received > MEASURED));
            assertEquals(0, allocated, "bytes in " + MEASURED + " cycles of each agent");
        }
    }

    /** Bytes that the agents' cycles allocate; what the applications do is not counted. */
    private static long cycles(TwoDrivers net, int count) {
        long allocated = 0;
        for (int i = 0; i < count; i++) {
            for (TestStream stream : net.a.streams) {
                stream.clean();
                stream.offer();
                stream.offer();
            }
            net.nowNs += 10_000;
            long before = THREADS.getCurrentThreadAllocatedBytes();
            net.a.transport.send(net.nowNs);
            net.b.transport.receive(net.nowNs);
            net.a.transport.conduct(net.nowNs);
            net.b.transport.conduct(net.nowNs);
            allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
            for (TestImage image : net.b.images) {
                image.poll(10);
            }
        }
        return allocated;
    }
}
