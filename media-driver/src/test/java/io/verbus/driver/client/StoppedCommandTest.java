// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.codecs.control.AddPublicationEncoder;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client is stopped while it writes a command. */
@Timeout(60)
class StoppedCommandTest {
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long TIMER_NS = TimeUnit.MILLISECONDS.toNanos(10);

    @Test
    void commandOfStoppedClientDelaysOthersWithoutDisconnectingThem() {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                Drivers.config().clientLivenessTimeoutNs(LIVENESS_NS));
                CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME));
                Bus bus =
                        Bus.connect(
                                Drivers.context(driver).driverTimeout(Duration.ofSeconds(30)))) {
            bus.addPublication("verbus:ipc", 1);
            ManyToOneRingBuffer commands = new ManyToOneRingBuffer(cnc.toDriver());
            long startNs = System.nanoTime();
            assertTrue(commands.tryClaim(AddPublicationEncoder.TEMPLATE_ID, 64) > 0);
            bus.addPublication("verbus:ipc", 2);
            long waitedNs = System.nanoTime() - startNs;
            // The conductor may have seen the ring blocked up to one timer period earlier.
            assertTrue(waitedNs >= LIVENESS_NS - TIMER_NS, waitedNs + " ns");
            assertEquals(1, Drivers.counter(bus, SystemCounter.COMMANDS_UNBLOCKED));
            assertEquals(0, Drivers.counter(bus, SystemCounter.CLIENTS_TIMED_OUT));
            assertFalse(bus.isClosed());
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    /** A client may find the driver ready, and write, before the conductor's first cycle. */
    @Test
    void keepsCommandClaimedBeforeFirstConductorCycle() {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                Drivers.config().threading(ThreadingMode.INVOKER));
                CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME))) {
            ManyToOneRingBuffer commands = new ManyToOneRingBuffer(cnc.toDriver());
            int index = commands.tryClaim(AddPublicationEncoder.TEMPLATE_ID, 64);
            driver.invoker().invoke();
            commands.commit(index); // throws if the claim was taken away
        }
    }
}
