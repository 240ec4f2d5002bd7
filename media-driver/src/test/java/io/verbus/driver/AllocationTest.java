// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** The agents' threads allocate nothing while messages flow, over IPC and over a transport. */
@Timeout(120)
@Tag("alone")
class AllocationTest {
    private static final int WARM_UP = 200_000;
    private static final int MESSAGES = 200_000;

    /**
     * Allowance for allocations that are not per message: JIT and class initialisation on an
     * agent's thread.
     */
    private static final long SLACK = 2048;

    private long received;
    private final FragmentHandler handler = (buffer, offset, length, header) -> received++;

    @Test
    void agentsAllocateNothingPerMessage() {
        DriverConfig config =
                Drivers.config()
                        .threading(ThreadingMode.DEDICATED)
                        .directory(DriverDirectory.uniquePath())
                        .build();
        try (MediaDriver driver =
                        MediaDriver.launch(config, List.of(new LoopTransport.Provider()));
                Bus bus = Drivers.connect(driver)) {
            Subscription ipcIn = bus.addSubscription("verbus:ipc", 1);
            Publication ipcOut = bus.addPublication("verbus:ipc", 1);
            Subscription netIn = bus.addSubscription("verbus:rdma?endpoint=localhost:1", 1);
            ExclusivePublication netOut =
                    bus.addExclusivePublication("verbus:rdma?endpoint=localhost:1", 1);
            exchange(ipcOut, ipcIn, netOut, netIn, WARM_UP);
            AgentAllocation.assertBelow(
                    SLACK, () -> exchange(ipcOut, ipcIn, netOut, netIn, MESSAGES));
        }
    }

    private void exchange(
            Publication ipcOut,
            Subscription ipcIn,
            Publication netOut,
            Subscription netIn,
            int count) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        int ipcSent = 0;
        int netSent = 0;
        received = 0;
        long start = System.nanoTime();
        while (received < 2L * count) {
            if (ipcSent < count && ipcOut.offer(message) > 0) {
                ipcSent++;
            }
            if (netSent < count && netOut.offer(message) > 0) {
                netSent++;
            }
            if (ipcIn.poll(handler, 10) + netIn.poll(handler, 10) == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - start > 120_000_000_000L) {
                throw new AssertionError("only " + received + " of " + 2L * count);
            }
        }
    }
}
