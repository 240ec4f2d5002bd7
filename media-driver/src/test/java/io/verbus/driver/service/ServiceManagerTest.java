// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

class ServiceManagerTest {
    private static final long WATCHDOG_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final List<Throwable> warnings = new ArrayList<>();

    @TempDir private Path folder;

    @Test
    void notifiesOfReadyWatchdogAndStopping() {
        for (String name : List.of(folder.resolve("notify").toString(), "@" + folder)) {
            try (DatagramReceiver systemd = new DatagramReceiver(name, 5_000)) {
                ServiceManager manager = manager(name);
                manager.ready("directory /here", WATCHDOG_NS, () -> true);
                assertEquals("READY=1\nSTATUS=directory /here", systemd.receive());
                assertEquals("WATCHDOG=1", systemd.receive());
                assertEquals("WATCHDOG=1", systemd.receive());
                manager.close();
                manager.close();
                String last = systemd.receive();
                while (last.equals("WATCHDOG=1")) {
                    last = systemd.receive();
                }
                assertEquals("STOPPING=1", last);
            }
        }
        assertEquals(List.of(), warnings);
    }

    @Test
    void sendsNoWatchdogForStoppedDriver() {
        String name = folder.resolve("notify").toString();
        AtomicBoolean isAlive = new AtomicBoolean(true);
        try (DatagramReceiver systemd = new DatagramReceiver(name, 1_000);
                ServiceManager manager = manager(name)) {
            manager.ready("", WATCHDOG_NS, isAlive::get);
            assertEquals("READY=1\nSTATUS=", systemd.receive());
            assertEquals("WATCHDOG=1", systemd.receive());
            isAlive.set(false);
            int late = 0;
            while (systemd.receive() != null) {
                late++;
            }
            assertTrue(late <= 20, late + " signs of life");
            isAlive.set(true);
            assertEquals("WATCHDOG=1", systemd.receive());
        }
    }

    @Test
    void sendsNoWatchdogUnlessRequested() {
        String name = folder.resolve("notify").toString();
        try (DatagramReceiver systemd = new DatagramReceiver(name, 300);
                ServiceManager manager = manager(name)) {
            manager.ready("", 0, () -> true);
            assertEquals("READY=1\nSTATUS=", systemd.receive());
            assertNull(systemd.receive());
        }
    }

    @Test
    void readsWatchdogTimeOfThisProcess() {
        String pid = Long.toString(ProcessHandle.current().pid());
        assertEquals(0, ServiceManager.watchdogNs(Map.of()));
        assertEquals(
                TimeUnit.SECONDS.toNanos(3),
                ServiceManager.watchdogNs(Map.of("WATCHDOG_USEC", "3000000", "WATCHDOG_PID", pid)));
        assertEquals(
                0, ServiceManager.watchdogNs(Map.of("WATCHDOG_USEC", "3", "WATCHDOG_PID", "1")));
        BusException thrown =
                assertThrows(
                        BusException.class,
                        () -> ServiceManager.watchdogNs(Map.of("WATCHDOG_USEC", "3s")));
        assertTrue(thrown.getMessage().contains("'3s': it must be"), thrown.getMessage());
    }

    @Test
    void doesNothingWithoutServiceManager() {
        try (ServiceManager manager = ServiceManager.of(Map.of(), warnings::add)) {
            manager.ready("", WATCHDOG_NS, () -> true);
        }
        assertEquals(List.of(), warnings);
    }

    @Test
    void warnsIfSocketHasNoReceiver() {
        try (ServiceManager manager = manager(folder.resolve("nobody").toString())) {
            manager.ready("", 0, () -> true);
        }
        assertEquals(2, warnings.size());
        String message = warnings.getFirst().getMessage();
        assertTrue(message.contains("errno 2): unset NOTIFY_SOCKET"), message);
    }

    @Test
    void rejectsInvalidAddress() {
        for (String name : List.of("relative", "@", "vsock:2:1234", "/" + "x".repeat(108))) {
            BusException thrown = assertThrows(BusException.class, () -> manager(name));
            assertTrue(
                    thrown.getMessage().contains("it must be an absolute path"),
                    thrown.getMessage());
        }
    }

    private ServiceManager manager(String name) {
        return ServiceManager.of(Map.of("NOTIFY_SOCKET", name), warnings::add);
    }
}
