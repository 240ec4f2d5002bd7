// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.driver.agent.EndSignals;
import io.verbus.driver.background.HostNames;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigSources;
import io.verbus.driver.service.ServiceManager;
import io.verbus.driver.transports.Transports;
import io.verbus.memory.JvmFlags;
import io.verbus.release.Release;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs a media driver as a process of its own. */
final class DriverProcess {
    /** Time after which a process whose driver has failed is halted if it has not exited. */
    private static final long HALT_MS = TimeUnit.SECONDS.toMillis(10);

    private static final int FAILED = 1;

    private DriverProcess() {}

    /** Runs a driver; see {@link MediaDriver#run}. */
    static void run(DriverConfig config, PrintStream out) throws InterruptedException {
        HostNames.rememberNothing();
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch atOnce = new CountDownLatch(1);
        EndSignals.handle(
                () -> {
                    if (end.getCount() == 0) {
                        atOnce.countDown();
                    }
                    end.countDown();
                });
        JvmFlags.check();
        MediaDriver driver = new MediaDriver(config, null, end, true);
        try (driver;
                ServiceManager manager = ServiceManager.of(System.getenv(), driver::warn)) {
            Thread.ofPlatform().daemon().name("verbus-halt").start(() -> haltOnFailure(driver));
            // For other causes of JVM shutdown, such as SIGHUP.
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> end(manager, driver), "verbus-shutdown"));
            Transports.notes(config.transportOptions())
                    .forEach(note -> out.println("verbus driver: " + note));
            if (driver.metrics() != null) {
                out.println("verbus driver serves http://" + driver.metrics() + "/metrics");
            }
            out.println(
                    "verbus driver ready: directory="
                            + driver.directory()
                            + " pid="
                            + ProcessHandle.current().pid()
                            + " media=ipc"
                            + (driver.media().isEmpty()
                                    ? ""
                                    : "," + String.join(",", driver.media()))
                            + " "
                            + Release.CURRENT.text()
                            + " jdk="
                            + Release.jdk());
            out.flush();
            reportReady(driver, manager);
            end.await();
            if (driver.failure() != null) {
                throw driver.failed();
            }
            long drainNs = driver.loss() == null ? config.drainTimeoutNs() : 0;
            int unfinished = driver.drain(drainNs, atOnce);
            if (unfinished > 0) {
                out.println(
                        "verbus driver: closing before all messages were sent and read; unfinished"
                                + " streams: "
                                + (unfinished == Integer.MAX_VALUE ? "unknown" : unfinished)
                                + "; raise drain-timeout, or find slow subscribers with `verbus"
                                + " streams`");
                out.flush();
            }
        }
        if (driver.loss() != null) {
            throw driver.loss();
        }
    }

    /**
     * Ensures that the process exits after its driver has failed, even if the driver cannot be
     * closed.
     */
    private static void haltOnFailure(MediaDriver driver) {
        try {
            if (driver.awaitFailed() != null) {
                Thread.sleep(HALT_MS);
                Runtime.getRuntime().halt(FAILED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the service manager first, because its thread reads memory that the driver unmaps. */
    private static void end(ServiceManager manager, MediaDriver driver) {
        manager.close();
        driver.close();
    }

    private static void reportReady(MediaDriver driver, ServiceManager manager) {
        long watchdogNs = ServiceManager.watchdogNs(System.getenv());
        DriverPulse pulse =
                new DriverPulse(
                        driver.directory().resolve(CncFile.NAME),
                        driver.cnc(),
                        watchdogNs / 2,
                        System.nanoTime());
        manager.ready(
                "directory " + driver.directory(),
                watchdogNs,
                () -> pulse.state(System.nanoTime()) == DriverPulse.State.ALIVE);
    }

    /**
     * Returns the settings of a driver process.
     *
     * @param args properties files and {@code name=value} settings; later ones override earlier
     *     ones.
     */
    static DriverConfig config(String[] args) {
        DriverConfigSources sources =
                new DriverConfigSources(DriverConfig.builder(), MediaDriver.presentMedia());
        for (String arg : args) {
            if (arg.indexOf('=') < 0) {
                sources.file(Path.of(arg));
            }
        }
        sources.environment(System.getenv()).properties(System.getProperties());
        for (String arg : args) {
            int equals = arg.indexOf('=');
            if (equals >= 0) {
                sources.set(arg.substring(0, equals), arg.substring(equals + 1), arg);
            }
        }
        return sources.build();
    }
}
