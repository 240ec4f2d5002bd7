// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.service;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Tells systemd that the driver is ready, that it lives, and that it ends, where the unit wants to
 * know ({@code Type=notify}, {@code WatchdogSec}). Elsewhere it does nothing.
 *
 * <p>A thread of its own tells four times within the watchdog's time that the driver lives, as long
 * as it does. One that has stopped is killed and started again by systemd.
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
     * The service manager that has started this process, if it wants to be told.
     *
     * @param environment of the process.
     * @param warnings takes what could not be told; the driver goes on.
     * @throws BusException if the environment names a socket that cannot be.
     */
    public static ServiceManager of(Map<String, String> environment, ErrorHandler warnings) {
        String name = environment.get("NOTIFY_SOCKET");
        return new ServiceManager(name == null ? null : new NotifySocket(name), warnings);
    }

    /**
     * Time within which systemd wants a sign of life; 0 if it wants none of this process.
     *
     * @param environment of the process.
     * @return nanoseconds.
     * @throws BusException if it is no number.
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
     * Tells that the driver is ready, and from then on that it lives.
     *
     * @param status for who looks at the service, one line.
     * @param watchdogNs time within which a sign of life is wanted, nanoseconds; 0 if none is.
     * @param isAlive whether the driver lives; asked on a thread of this object.
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

    /**
     * Tells that the driver ends. Afterwards nobody asks whether it lives. Again is without effect.
     */
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
