// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.driver.service.DatagramReceiver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Notifications that a driver sends to systemd. */
class DriverServiceTest {
    @TempDir private Path folder;

    @Test
    void notifiesSystemdOfStartWatchdogAndStop() {
        try (DatagramReceiver systemd = receiver(20_000);
                ChildProcess driver = driver()) {
            String ready = systemd.receive();
            assertTrue(ready.startsWith("READY=1\nSTATUS=directory "), ready);
            assertEquals("WATCHDOG=1", systemd.receive());
            assertEquals("WATCHDOG=1", systemd.receive());
            driver.signal("TERM");
            String last = systemd.receive();
            while (last.equals("WATCHDOG=1")) {
                last = systemd.receive();
            }
            assertEquals("STOPPING=1", last);
            assertEquals(0, driver.awaitExit());
        }
    }

    @Test
    void stopsWatchdogNotificationsOnceClientsCannotConnect() throws IOException {
        try (DatagramReceiver systemd = receiver(3_000);
                ChildProcess driver = driver()) {
            driver.awaitLine("verbus driver ready");
            assertTrue(systemd.receive().startsWith("READY=1"));
            assertEquals("WATCHDOG=1", systemd.receive());
            Files.delete(folder.resolve("driver").resolve(CncFile.NAME));
            int late = 0;
            while (systemd.receive() != null) {
                late++;
            }
            assertTrue(late < 8, late + " signs of life");
        }
    }

    private DatagramReceiver receiver(int timeoutMs) {
        return new DatagramReceiver(folder.resolve("notify").toString(), timeoutMs);
    }

    private ChildProcess driver() {
        return ChildProcess.start(
                List.of(
                        "env",
                        "NOTIFY_SOCKET=" + folder.resolve("notify"),
                        "WATCHDOG_USEC=2000000"),
                MediaDriver.class,
                "dir=" + folder.resolve("driver"));
    }
}
