// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.service;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Notifies systemd that the driver is ready, alive or stopping, if the unit requests it ({@code
 * Type=notify}, {@code WatchdogSec}). Otherwise it does nothing.
 *
 * <p>While the driver is alive, a thread sends four signs of life per watchdog time. If they stop,
 * systemd kills and restarts the driver.
 *
 * @see <a href="https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html">
 *     sd_notify(3)</a>
 */
public final class ServiceManager implements AutoCloseable {
    private static final int SIGNS_A_TIMEOUT = 4;

    private final NotifySocket socket;
    private final ErrorHandler warnings;
    private final CountDownLatch end = new CountDownLatch(1);
    private Thread watchdog;

    private ServiceManager(NotifySocket socket, ErrorHandler warnings) {
        this.socket = socket;
        this.warnings = warnings;
    }

    /**
     * Returns the service manager that started this process, if it requests notifications.
     *
     * @param environment environment variables of the process.
     * @param warnings receives failed notifications; the driver continues.
     * @throws BusException if the environment names an invalid socket.
     */
    public static ServiceManager of(Map<String, String> environment, ErrorHandler warnings) {
        String name = environment.get("NOTIFY_SOCKET");
        return new ServiceManager(name == null ? null : new NotifySocket(name), warnings);
    }

    /**
     * Returns the watchdog time of systemd; 0 if this process has none.
     *
     * @param environment environment variables of the process.
     * @return the time in nanoseconds.
     * @throws BusException if the value is not a number.
     */
    public static long watchdogNs(Map<String, String> environment) {
        String time = environment.get("WATCHDOG_USEC");
        String pid = environment.get("WATCHDOG_PID");
        if (time == null || pid != null && !pid.equals(ownPid())) {
            return 0;
        }
        if (!time.matches("[0-9]{1,15}")) {
            throw new BusException(
                    "WATCHDOG_USEC is '"
                            + time
                            + "': it must be a number of microseconds, as systemd sets it");
        }
        return TimeUnit.MICROSECONDS.toNanos(Long.parseLong(time));
    }

    private static String ownPid() {
        return Long.toString(ProcessHandle.current().pid());
    }

    /**
     * Notifies that the driver is ready, and starts the watchdog's signs of life.
     *
     * @param status one line shown to users who query the service.
     * @param watchdogNs watchdog time in nanoseconds; 0 for none.
     * @param isAlive whether the driver is alive; called on this object's thread.
     */
    public void ready(String status, long watchdogNs, BooleanSupplier isAlive) {
        if (socket == null) {
            return;
        }
        tell("READY=1\nSTATUS=" + status);
        if (watchdogNs > 0) {
            watchdog = new Thread(() -> watch(watchdogNs, isAlive), "verbus-watchdog");
            watchdog.setDaemon(true);
            watchdog.start();
        }
    }

    private void watch(long watchdogNs, BooleanSupplier isAlive) {
        try {
            do {
                if (isAlive.getAsBoolean()) {
                    tell("WATCHDOG=1");
                }
            } while (!end.await(watchdogNs / SIGNS_A_TIMEOUT, TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(String assignments) {
        try {
            socket.send(assignments);
        } catch (BusException e) {
            warnings.onError(e);
        }
    }

    /** Notifies that the driver is stopping, and disables the watchdog. Idempotent. */
    @Override
    public synchronized void close() {
        if (socket == null || end.getCount() == 0) {
            return;
        }
        end.countDown();
        if (watchdog != null) {
            try {
                watchdog.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        tell("STOPPING=1");
        socket.close();
    }
}
