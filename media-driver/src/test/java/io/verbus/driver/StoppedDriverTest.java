// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.tools.Verbus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A driver's process is stopped, killed or terminated: what its clients learn. */
@Timeout(120)
@Tag("slow")
class StoppedDriverTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @TempDir Path parent;

    private final List<String> losses = new CopyOnWriteArrayList<>();

    private ChildProcess driver() {
        ChildProcess driver =
                ChildProcess.start(Verbus.class, "driver", "--dir", directory().toString());
        driver.awaitLine("verbus driver ready");
        return driver;
    }

    private Path directory() {
        return parent.resolve("driver");
    }

    private BusContext context() {
        return new BusContext()
                .directoryName(directory().toString())
                .keepAliveInterval(Duration.ofMillis(50))
                .errorHandler(error -> {})
                .driverLostHandler((bus, reason) -> losses.add(reason.getMessage()));
    }

    private void signal(String name) throws Exception {
        try (CncFile cnc = CncFile.map(directory().resolve(CncFile.NAME))) {
            Process kill =
                    new ProcessBuilder("kill", "-" + name, Long.toString(cnc.spec().pid())).start();
            assertEquals(0, kill.waitFor());
        }
    }

    @Test
    void clientsDistinguishStalledKilledAndClosedDriver() throws Exception {
        try (ChildProcess driver = driver()) {
            try (Bus bus = Bus.connect(context().driverTimeout(TIMEOUT))) {
                signal("STOP");
                Await.until("lost", bus::isClosed);
                expect("has stalled");
                signal("CONT");
            }
            try (Bus bus = Bus.connect(context().driverTimeout(TIMEOUT))) {
                bus.addPublication("verbus:ipc", 1);
                driver.kill();
                Await.until("lost", bus::isClosed);
                expect("is gone");
            }
        }
        try (ChildProcess driver = driver();
                Bus bus = Bus.connect(context())) {
            driver.terminate();
            Await.until("lost", bus::isClosed);
            expect("has been shut down");
        }
    }

    private void expect(String words) {
        Await.until("told", () -> losses.size() == 1);
        assertTrue(losses.getFirst().contains(words), losses.toString());
        losses.clear();
    }

    @Test
    void driverStoppedForNineSecondsKeepsClients() throws Exception {
        try (ChildProcess driver = driver();
                Bus bus = Bus.connect(context())) {
            bus.addPublication("verbus:ipc", 1);
            signal("STOP");
            long stoppedNs = System.nanoTime();
            Await.until(
                    "nine seconds",
                    () -> System.nanoTime() - stoppedNs > TimeUnit.SECONDS.toNanos(9));
            signal("CONT");
            bus.addPublication("verbus:ipc", 2);
            assertFalse(bus.isClosed());
            assertEquals(List.of(), losses);
            assertEquals(1, Drivers.counter(bus, SystemCounter.CLIENTS));
            assertTrue(driver.terminate() >= 0);
        }
    }
}
